package validate

import (
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

const minute, hour, day = time.Minute, time.Hour, 24 * time.Hour

// weight is a Field of Binance that has the weight used in a minute.
func weight(name string, perMinute int64) Field {
	return Field{Name: name, Holds: HoldsUsed, Unit: "weight", Quota: perMinute, Window: minute}
}

// orders is a Field of Binance that has the number of orders in a window.
func orders(name string, quota int64, window time.Duration) Field {
	return Field{Name: name, Holds: HoldsUsed, Unit: "orders", Quota: quota, Window: window}
}

// futures is the profile of Binance's futures. A 418 bans an address that continued after a 429, for two minutes or more:
// https://developers.binance.com/docs/derivatives/usds-margined-futures/general-info
func futures(host string) Profile {
	return Profile{
		Host: host, Statuses: []int{http.StatusTeapot}, MinWait: 2 * minute, Aligned: true,
		Fields: []Field{
			weight("X-MBX-USED-WEIGHT-1M", 2400),
			orders("X-MBX-ORDER-COUNT-10S", 300, 10*time.Second),
			orders("X-MBX-ORDER-COUNT-1M", 1200, minute),
		},
	}
}

// graph is the profile of Facebook's Graph API: what was used of a rolling hour, in percent. A client is throttled when one
// of the percentages reaches 100. See https://developers.facebook.com/docs/graph-api/overview/rate-limiting/.
func graph(host string) Profile {
	return Profile{
		Host: host,
		Proofs: []Proof{
			{http.StatusBadRequest, "(#4) Application request limit reached"},
			{http.StatusBadRequest, "(#17) User request limit reached"},
			{http.StatusForbidden, "(#4) Application request limit reached"},
			{http.StatusForbidden, "(#17) User request limit reached"},
		},
		Fields: []Field{
			{
				Name: "X-App-Usage", Policy: "app", Holds: HoldsPercent, Window: hour,
				Members: []string{"call_count", "total_time", "total_cputime"},
			},
			{
				Name: "X-Business-Use-Case-Usage", Policy: "business", Holds: HoldsPercent, Window: hour,
				Members: []string{"call_count", "total_time", "total_cputime"},
				Wait:    "estimated_time_to_regain_access", TimeUnit: minute,
			},
		},
	}
}

// builtIn has the profiles of services that document what their responses leave out. Of several profiles for one domain,
// the first one that applies to host and path is used.
//
//nolint:gochecknoglobals // a table of data, which is only read
var builtIn = newTable(
	Profile{Host: "api.schibsted.com", Path: "/prisjakt/", ResetUnit: time.Millisecond},
	Profile{Host: "blockscout.com", ResetUnit: time.Millisecond},
	Profile{Host: "mimecast.com", ResetUnit: time.Millisecond},
	Profile{Host: "kucoin.com", ResetUnit: time.Millisecond},
	// The fields have pairs of numbers: for a quarter of an hour and for a day.
	Profile{Host: "strava.com", Windows: []time.Duration{15 * minute, day}, Aligned: true},
	Profile{Host: "reddit.com", Windows: []time.Duration{10 * minute}},
	// The message or the end of documentation_url names the secondary limits, which were called abuse once. GitHub sends
	// Retry-After sometimes, and documents a minute if it is missing. x-ratelimit-remaining stays positive.
	Profile{Host: "github.com", MinWait: minute, Proofs: []Proof{
		{http.StatusForbidden, "exceeded a secondary rate limit"},
		{http.StatusForbidden, `secondary-rate-limits"`},
		{http.StatusForbidden, `#abuse-rate-limits"`},
	}},
	Profile{Host: "atlassian.net", PolicyField: "RateLimit-Reason"}, // X-RateLimit-* reports another limit
	// The text is GraphQL's extensions.code. A text of the user's would have the quotes escaped.
	Profile{Host: "linear.app", Proofs: []Proof{{http.StatusBadRequest, `"RATELIMITED"`}}},
	Profile{Host: "salesforce.com", Proofs: []Proof{{http.StatusForbidden, `"REQUEST_LIMIT_EXCEEDED"`}}},
	Profile{Host: "force.com", Proofs: []Proof{{http.StatusForbidden, `"REQUEST_LIMIT_EXCEEDED"`}}},
	futures("fapi.binance.com"),
	futures("dapi.binance.com"),
	// https://developers.binance.com/docs/binance-spot-api-docs/rest-api/limits: windows begin at multiples.
	Profile{
		Host: "binance.com", Statuses: []int{http.StatusTeapot}, MinWait: 2 * minute, Aligned: true,
		Fields: []Field{
			weight("X-MBX-USED-WEIGHT-1M", 6000),
			weight("X-SAPI-USED-IP-WEIGHT-1M", 12000),
			weight("X-SAPI-USED-UID-WEIGHT-1M", 180000),
			orders("X-MBX-ORDER-COUNT-10S", 50, 10*time.Second),
			orders("X-MBX-ORDER-COUNT-1D", 160000, day),
		},
	},
	Profile{Host: "notion.com", Statuses: []int{529}}, // the service is overloaded
	Profile{Host: "anthropic.com", Statuses: []int{529}},
	graph("facebook.com"),
	graph("instagram.com"),
	// https://bybit-exchange.github.io/docs/v5/rate-limit
	Profile{Host: "bybit.com", Fields: []Field{
		{Name: "X-Bapi-Limit", Policy: "bapi", Holds: HoldsLimit, Unit: limits.Requests},
		{Name: "X-Bapi-Limit-Status", Policy: "bapi", Holds: HoldsRemaining},
		{Name: "X-Bapi-Limit-Reset-Timestamp", Policy: "bapi", Holds: HoldsReset},
	}},
	// https://developer.ticketmaster.com/products-and-docs/apis/getting-started/
	Profile{Host: "ticketmaster.com", Fields: []Field{
		{Name: "Rate-Limit", Policy: "rate-limit", Holds: HoldsLimit, Unit: limits.Requests, Window: day},
		{Name: "Rate-Limit-Available", Policy: "rate-limit", Holds: HoldsRemaining},
		{Name: "Rate-Limit-Reset", Policy: "rate-limit", Holds: HoldsReset},
	}},
	// https://developers.eveonline.com/docs/services/esi/best-practices/: an application may cause a hundred
	// errors in a minute.
	Profile{
		Host: "evetech.net", Statuses: []int{420},
		Fields: []Field{
			{Name: "X-Esi-Error-Limit-Remain", Policy: "errors", Holds: HoldsRemaining, Unit: "errors", Quota: 100, Window: minute},
			{Name: "X-Esi-Error-Limit-Reset", Policy: "errors", Holds: HoldsReset},
		},
	},
	// https://support.toggl.com/en/articles/11484112-api-webhook-limits: the quota depends on the plan.
	Profile{
		Host: "toggl.com", Statuses: []int{http.StatusPaymentRequired},
		Fields: []Field{
			{Name: "X-Toggl-Quota-Remaining", Policy: "quota", Holds: HoldsRemaining, Unit: limits.Requests, Window: hour},
			{Name: "X-Toggl-Quota-Resets-In", Policy: "quota", Holds: HoldsReset},
		},
	},
)

// A table is a set of profiles by domain: the last two labels of a host.
type table struct {
	none    Profile // where there is no profile
	domains map[string][]Profile
	letters [1 << 10]content // by lettersOf the domain
}

// A content says what the profiles of some domains have.
type content uint8

const (
	nothing content = iota // there are none
	noFields
	someFields
)

func newTable(all ...Profile) *table {
	t := &table{domains: make(map[string][]Profile)}
	for i := range all {
		domain := domainOf(all[i].Host)
		t.domains[domain] = append(t.domains[domain], all[i])
		has := noFields
		if len(all[i].Fields) > 0 {
			has = someFields
		}
		letters, _ := lettersOf("." + domain)
		t.letters[letters] = max(t.letters[letters], has)
	}
	return t
}

// domainOf returns the last two labels of a host.
func domainOf(host string) string {
	top := max(strings.LastIndexByte(host, '.'), 0)
	return host[strings.LastIndexByte(host[:top], '.')+1:]
}

// lettersOf returns the two characters before the top-level domain of a host, which may have a port, as a number of
// ten bits without regard to case. They distinguish most hosts without a built-in profile from those with one, in a few
// nanoseconds. If ok is false, the host has to be looked up.
func lettersOf(host string) (letters int, ok bool) {
	dot := strings.LastIndexByte(host, '.')
	if dot < 2 || dot == len(host)-1 || host[dot+1] == ':' {
		return 0, dot < 0
	}
	return int(host[dot-2]&31)<<5 | int(host[dot-1]&31), true
}

// has returns what the profile for a host may have. It is nothing for most hosts.
func (t *table) has(host string) content {
	letters, ok := lettersOf(host)
	if !ok {
		return someFields
	}
	return t.letters[letters]
}

// find returns the profile for host, a name in lower case, and path. If there is none, it returns an empty one.
func (t *table) find(host, path string) *Profile {
	all := t.domains[domainOf(host)]
	for i := range all {
		if all[i].isFor(host, path) {
			return &all[i]
		}
	}
	return &t.none
}
