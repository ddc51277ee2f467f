package interop_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway/internal/test/kit/child"
	"github.com/headway-go/headway/validate"
)

// nginxes are set-ups of nginx's limit_req, a leaky bucket that counts in thousandths of a request, and of
// limit_conn. There are set-ups with status 429, the usual setting, and with 503, the default.
func nginxes() []server {
	var all []server
	for _, limit := range []string{"limit_req zone=one", "limit_req zone=one burst=10", "limit_req zone=one burst=10 nodelay", "limit_conn one 2"} {
		directive, _, _ := strings.Cut(limit, " ")
		all = append(all,
			onNginx(directive, limit, limit, http.StatusServiceUnavailable),
			onNginx(directive, limit, limit+"; "+directive+"_status 429", http.StatusTooManyRequests),
		)
	}
	return all
}

// onNginx returns nginx with these directives. directive and limit name the one that limits.
func onNginx(directive, limit, directives string, refusesWith int) server {
	s := server{
		name: fmt.Sprintf("nginx, %s, %d", strings.NewReplacer(" zone=one", "", " one", "").Replace(limit), refusesWith),
		from: "nginx", wrong: "It reports nothing, not even when to come back",
	}
	zone := "limit_req_zone $binary_remote_addr zone=one:1m rate=20r/s"
	s.quota, s.window, s.windows = 20, time.Second, 3
	if directive == "limit_conn" {
		zone = "limit_conn_zone $binary_remote_addr zone=one:1m"
		s.quota, s.window, s.windows, s.service = 2, 0, 60, 50*time.Millisecond
	}
	if refusesWith != http.StatusTooManyRequests {
		s.profiles = []validate.Profile{{Host: "127.0.0.1", Statuses: []int{refusesWith}}}
	}
	s.setUp = "`" + zone + "; " + directives + "`"
	nginx := child.Nginx{HTTP: zone + ";", Location: directives + ";"}
	s.program = &program{name: "nginx", start: nginx.Start}
	return s
}
