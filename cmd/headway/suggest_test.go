package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// exchangeWith returns an exchange with a host and fields.
func exchangeWith(t *testing.T, url string, fields map[string]string) *exchange {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	x := &exchange{request: request, url: url, status: http.StatusOK, at: time.Unix(1772625600, 0), header: http.Header{}}
	for name, value := range fields {
		x.header.Set(name, value)
	}
	return x
}

func TestSuggest(t *testing.T) {
	for _, row := range []struct{ name, field, value, want string }{
		{"used, of a minute", "X-Acme-Used-Weight-1m", "28", `{"name":"X-Acme-Used-Weight-1m","holds":"used","policy":"acme-weight","unit":"weight","window":"1m0s"}`},
		{"what is left", "X-Api-Left", "29", `{"name":"X-Api-Left","holds":"remaining","policy":"api"}`},
		{"percent", "X-Api-Usage", "28%", `{"name":"X-Api-Usage","holds":"percent","policy":"api"}`},

		{"keys", "X-App-Quota", "used=12;of=100;per=60s", `{"name":"X-App-Quota","pattern":"used=(?<used>\\d+);of=(?<limit>\\d+);per=(?<window>[\\w-]+)"}`},
		{"Zendesk's", "Zendesk-Ratelimit-Search", "total=100; remaining=99; resets=41", `{"name":"Zendesk-Ratelimit-Search","pattern":"total=(?<limit>\\d+); remaining=(?<remaining>\\d+); resets=(?<reset>\\d+)"}`},
		{"Salesforce's", "Sforce-Limit-Info", "api-usage=25/5000", `{"name":"Sforce-Limit-Info","pattern":"(?<name>[\\w-]+)=(?<used>\\d+)/(?<limit>\\d+)"}`},
		{"a ratio", "Http_x_call_limit", "39/40", `{"name":"Http_x_call_limit","pattern":"(?<used>\\d+)/(?<limit>\\d+)"}`},
		{"names", "X-Limits", "name=default,100; name=burst,5;", `{"name":"X-Limits","pattern":"name=(?<name>[^,;]*),(?<limit>\\d+);"}`},
		{"keys of other things", "X-Rate-Card", "id=7;price=12", ""},
		{"an endless value", "X-Quota", strings.Repeat("a=1;", 100) + "limit=5", ""},

		{"read by itself", "X-Ratelimit-Remaining", "28", ""},
		{"nothing about limits", "X-Memory-Used", "28", ""},
		{"a text", "X-Api-Left", "many", ""},
		{"JSON", "X-App-Usage", `{"calls":28}`, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			x := exchangeWith(t, "https://api.acme.example/v1", map[string]string{row.field: row.value})
			reading := x.reading()
			p := suggest(x, &reading)
			if row.want == "" {
				require.Nil(t, p)
				return
			}
			text := (&report{Profile: p}).profileLines()[1].text
			require.Equal(t, `{"host":"api.acme.example","fields":[`+row.want+`]}`, text)
			read, err := validate.ReadProfiles([]byte(text))
			require.NoError(t, err)
			read[0].Fields[0].Quota = 100
			got := validate.Response(x.response(), x.at, validate.Bounds{}, read...)
			require.NotEmpty(t, got.Limits, "the profile helps")
		})
	}
}

// Of a service that has a profile nothing is suggested, nor of a limit that is known with its quota.
func TestSuggestNothing(t *testing.T) {
	for url, fields := range map[string]map[string]string{
		"https://api.binance.com/":  {"X-Mbx-Used-Weight-1m": "28"},
		"https://api.acme.example/": {"X-Ratelimit-Used": "28", "X-Ratelimit-Limit": "100"},
	} {
		x := exchangeWith(t, url, fields)
		reading := x.reading()
		require.Nil(t, suggest(x, &reading), url)
	}
}

// What a server sends makes the suggestion neither long nor unreadable.
func TestSuggestIsBounded(t *testing.T) {
	fields := map[string]string{"X-Quota-\x1b": "1"}
	for _, c := range "abcdefghijklmnopqrstuvwxyz" {
		fields["X-Quota-Left-"+string(c)] = "5"
	}
	x := exchangeWith(t, "https://api.acme.example/", fields)
	x.header["X Quota Left"] = []string{"5"}
	x.header["X-Quota-Left"] = nil
	reading := x.reading()
	require.Len(t, suggest(x, &reading).Fields, mostSuggested)
}
