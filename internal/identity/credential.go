package identity

import (
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
)

// credential returns a keyed hash of the request's credentials; 0 if it has none. The hashes of several credentials are
// added up, as header fields have no order.
func credential(req *http.Request) (sum uint64) {
	if len(req.Header) == 0 && req.URL.User == nil {
		return 0
	}
	eachCredential(req, func(a, b, c string) { sum += maphash.Comparable(hashSeed, [...]string{a, b, c}) })
	return sum
}

// eachCredential calls do with the parts of each of the request's credentials that are the same in all requests of one
// client, in no particular order.
func eachCredential(req *http.Request, do func(a, b, c string)) {
	for name, values := range req.Header {
		if name != "" && name[0] >= 'a' { // the header was filled without Set or Add
			name = http.CanonicalHeaderKey(name)
		}
		if !isCredential(name) {
			continue
		}
		for _, value := range values {
			switch name {
			case "Authorization":
				do(stablePart(value))
			case "Signature-Input": // RFC 9421 §4.1; the signature itself is another field
				do(name, param(value, "keyid"), "")
			default:
				do(name, value, "")
			}
		}
	}
	if user := req.URL.User; user != nil {
		password, _ := user.Password()
		do("", user.Username(), password)
	}
}

// isCredential reports whether the header field of that canonical name identifies the client or its user.
func isCredential(name string) bool {
	switch name {
	case "Authorization", "X-Authorization", "Signature-Input",
		"X-Api-Key", "Api-Key", "Apikey", "X-Apikey", "X-Api-Token", "Api-Token",
		"X-Auth-Token", "X-Auth-Key", "X-Auth-Email", "X-Access-Token", "X-Token", "Private-Token", "Job-Token", "Deploy-Token",
		"X-Goog-Api-Key", "X-Vault-Token", "X-Shopify-Access-Token", "X-Figma-Token", "X-Redmine-Api-Key", "X-Rapidapi-Key",
		"X-Mbx-Apikey", "X-Amz-Access-Token", "X-Algolia-Api-Key", "X-Postmark-Server-Token", "X-Honeycomb-Team", "X-Subscription-Token",
		"Dd-Api-Key", "Dd-Application-Key", "Circle-Token", "Fastly-Key", "Xi-Api-Key", "Cb-Access-Key", "Ocp-Apim-Subscription-Key":
		return true
	default:
		return false
	}
}

// signing is the table of schemes that sign each request. It has the names of up to two parameters that are the same in all
// requests of one client.
//
//nolint:gochecknoglobals // a table, which never changes
var signing = [...]struct{ scheme, first, second string }{
	{"Digest", "username", "realm"}, // RFC 7616 §3.4
	{"Hawk", "id", ""},
	{"MAC", "id", ""},
	{"Signature", "keyId", "username"}, // HTTP signatures before RFC 9421, and gateways with the same form
	{"Hmac", "keyId", "username"},
	{"EG1-HMAC-SHA256", "client_token", "access_token"}, // Akamai EdgeGrid
	{"vapid", "k", ""},                                  // RFC 8292 §3: t is a short-lived token, k the server's key
	{"SharedAccessSignature", "sr", "skn"},              // Azure: a new one when the old one expires
	{"Negotiate", "", ""},                               // one-time tokens only, as the next two
	{"NTLM", "", ""},
	{"Kerberos", "", ""},
}

// keyAndSignature has the schemes with a value such as key:signature.
//
//nolint:gochecknoglobals // a table, which never changes
var keyAndSignature = [...]string{
	"AWS", "GOOG1", "OSS", "OBS", "acs", "QBox", "Qiniu", "UPYUN", "SharedKey", "SharedKeyLite", "APIAuth", "HMAC-SHA1",
}

// stablePart returns the parts of an Authorization value that are the same in all requests of one client: the scheme and up
// to two parameters. For schemes that sign each request it returns the id of the key, for other schemes the whole value.
func stablePart(value string) (scheme, first, second string) {
	scheme, rest, _ := strings.Cut(value, " ")
	is := func(name string) bool { return strings.EqualFold(scheme, name) }
	if is("Bearer") || is("Basic") || is("Token") { // nearly all
		return scheme, rest, ""
	}
	for i := range signing {
		if s := &signing[i]; is(s.scheme) {
			return scheme, param(rest, s.first), param(rest, s.second)
		}
	}
	before := func(text, separator string) string {
		first, _, _ := strings.Cut(text, separator)
		return first
	}
	switch {
	case is("OAuth") && strings.Contains(rest, "oauth_consumer_key"): // OAuth 1 (RFC 5849 §3.5.1); some OAuth 2 servers use OAuth instead of Bearer
		return scheme, param(rest, "oauth_consumer_key"), param(rest, "oauth_token")
	case slices.ContainsFunc(keyAndSignature[:], is):
		return scheme, before(rest, ":"), ""
	case strings.Contains(scheme, "-HMAC-"), strings.Contains(scheme, "-ECDSA-"), strings.Contains(scheme, "-RSA-"), is("HMAC-SHA256"): // AWS Signature 4 and schemes like it
		return scheme, before(param(rest, "Credential"), "/"), "" // a date and a region follow
	case strings.HasPrefix(value, "bce-auth-v"): // Baidu: version/key/time/…
		version, parts, _ := strings.Cut(value, "/")
		return version, before(parts, "/"), ""
	case strings.HasPrefix(value, "q-sign-algorithm="): // Tencent COS
		return "q-sign", param(value, "q-ak"), ""
	case strings.HasPrefix(value, "type%3D"), strings.HasPrefix(value, "type%3d"), strings.HasPrefix(value, "type="): // Azure Cosmos DB: a signature only
		return "type", "", ""
	}
	return scheme, rest, ""
}

// param returns the value of a parameter, without quotes; "" if there is none, or name is "". Commas, semicolons or
// ampersands separate the list.
func param(list, name string) string {
	isQuoted := false
	separates := func(c rune) bool {
		isQuoted = isQuoted != (c == '"')
		return !isQuoted && (c == ',' || c == ';' || c == '&')
	}
	for field := range strings.FieldsFuncSeq(list, separates) {
		key, value, _ := strings.Cut(field, "=")
		if name != "" && strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.Trim(value, "\" ")
		}
	}
	return ""
}
