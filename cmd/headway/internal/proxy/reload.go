package proxy

import (
	"log/slog"
	"reflect"
	"slices"

	"github.com/headway-go/headway"
)

// reload reads the configuration again. Requests that were begun go on as they began, and no connection is closed. If anything
// is wrong, all stays as it is.
func (p *proxy) reload() {
	c, err := p.load()
	if err == nil {
		c, err = c.complete()
	}
	kept := c.keep(&p.config)
	if err == nil {
		err = c.locate(c.checkListen()) // whether what stays may be reached with what is new
	}
	if err == nil {
		err = p.apply(c)
	}
	if err != nil {
		p.log.Error("reload failed", slog.String("reason", err.Error()))
		return
	}
	p.log.Info("reload", p.described()...)
	if len(kept) > 0 {
		p.log.Warn("a restart is needed for some settings", slog.Any("settings", kept))
	}
}

// sweep forgets upstreams of earlier configurations that have served their last request.
func (p *proxy) sweep() {
	has := func(s headway.PartitionState) bool { return s.Waiting+s.InFlight > 0 }
	p.retired = slices.DeleteFunc(p.retired, func(u *upstream) bool {
		isIdle := !slices.ContainsFunc(u.transport.State(), has)
		if isIdle {
			p.metrics.Remove(u.transport)
		}
		return isIdle
	})
}

// keep takes over from old what needs a restart, and returns the keys of what would have changed.
func (c *Config) keep(old *Config) (kept []string) {
	now, before := reflect.ValueOf(c).Elem(), reflect.ValueOf(old).Elem()
	for i := range now.NumField() {
		tag := now.Type().Field(i).Tag
		if _, isFixed := tag.Lookup("restart"); isFixed && !reflect.DeepEqual(now.Field(i).Interface(), before.Field(i).Interface()) {
			now.Field(i).Set(before.Field(i))
			kept = append(kept, tag.Get("yaml"))
		}
	}
	if (c.TLS == TLS{}) != (old.TLS == TLS{}) {
		c.TLS = old.TLS
		kept = append(kept, "tls")
	}
	return kept
}
