package identity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCredentials(t *testing.T) {
	const alike, apart = true, false
	for _, test := range []struct {
		name string
		a, b []string // header fields
		want bool
	}{
		{"none", nil, nil, alike},
		{"one and none", []string{"Authorization", "Bearer a"}, nil, apart},
		{"two tokens", []string{"Authorization", "Bearer a"}, []string{"Authorization", "Bearer b"}, apart},
		{"X-Api-Key", []string{"X-Api-Key", "a"}, []string{"X-Api-Key", "b"}, apart},
		{"same key in another field", []string{"X-Api-Key", "a"}, []string{"Api-Key", "a"}, apart},
		{"two fields, any order", []string{"Dd-Api-Key", "a", "Dd-Application-Key", "b"}, []string{"DD-APPLICATION-KEY", "b", "DD-API-KEY", "a"}, alike},
		{"two fields swapped", []string{"Dd-Api-Key", "a", "Dd-Application-Key", "b"}, []string{"Dd-Api-Key", "b", "Dd-Application-Key", "a"}, apart},
		{"cookies", []string{"Cookie", "session=a"}, []string{"Cookie", "session=b"}, alike},
		{
			"AWS Signature 4, another request",
			[]string{"Authorization", "AWS4-HMAC-SHA256 Credential=AKIA1/20260101/eu-west-1/s3/aws4_request, SignedHeaders=host;x-amz-date, Signature=aa"},
			[]string{"Authorization", "AWS4-HMAC-SHA256 Credential=AKIA1/20260102/eu-west-1/s3/aws4_request,SignedHeaders=host,Signature=bb"},
			alike,
		},
		{
			"AWS Signature 4, another key",
			[]string{"Authorization", "AWS4-HMAC-SHA256 Credential=AKIA1/20260101/eu-west-1/s3/aws4_request, Signature=aa"},
			[]string{"Authorization", "AWS4-HMAC-SHA256 Credential=AKIA2/20260101/eu-west-1/s3/aws4_request, Signature=aa"},
			apart,
		},
		{"AWS Signature 2, another key", []string{"Authorization", "AWS AKIA1:aa"}, []string{"Authorization", "AWS AKIA2:aa"}, apart},
		{"Azure with ampersands", []string{"Authorization", "HMAC-SHA256 Credential=id1&SignedHeaders=a;b&Signature=aa=="}, []string{"Authorization", "HMAC-SHA256 Credential=id1&SignedHeaders=a;b&Signature=bb=="}, alike},
		{
			"OAuth 1, another request",
			[]string{"Authorization", `OAuth realm="x, y", oauth_consumer_key="ck", oauth_token="t", oauth_nonce="1", oauth_signature="aa"`},
			[]string{"Authorization", `OAuth oauth_nonce="2",oauth_token="t",oauth_consumer_key="ck",oauth_signature="bb"`},
			alike,
		},
		{"Digest, another request", []string{"Authorization", `Digest username="u", realm="r", nonce="1", nc=00000001, response="aa"`}, []string{"Authorization", `Digest username="u", realm="r", nonce="2", nc=00000002, response="bb"`}, alike},
		{"Digest, a name within quotes", []string{"Authorization", `Digest realm="a, username=x", username="u"`}, []string{"Authorization", `Digest realm="a, username=x", username="v"`}, apart},
		{"Hawk, another request", []string{"Authorization", `Hawk id="dh37", ts="1353832234", nonce="j4", mac="aa"`}, []string{"Authorization", `Hawk id="dh37", ts="1353832235", nonce="j5", mac="bb"`}, alike},
		{"RFC 9421, another request", []string{"Signature-Input", `sig1=("@method" "@target;uri");created=1;keyid="k"`, "Signature", "sig1=:aa:"}, []string{"Signature-Input", `sig1=("@method");created=2;keyid="k"`, "Signature", "sig1=:bb:"}, alike},
		{"RFC 9421, another key", []string{"Signature-Input", `sig1=("@method");created=1;keyid="k"`}, []string{"Signature-Input", `sig1=("@method");created=1;keyid="l"`}, apart},
		{"EdgeGrid", []string{"Authorization", "EG1-HMAC-SHA256 client_token=c;access_token=a;timestamp=1;nonce=n;signature=aa"}, []string{"Authorization", "EG1-HMAC-SHA256 client_token=c;access_token=a;timestamp=2;nonce=m;signature=bb"}, alike},
		{"Huawei, another key", []string{"Authorization", "OBS key:aa"}, []string{"Authorization", "OBS other:aa"}, apart},
		{"Baidu, another key", []string{"Authorization", "bce-auth-v1/key/1/aa"}, []string{"Authorization", "bce-auth-v1/other/1/aa"}, apart},
		{"Tencent, another key", []string{"Authorization", "q-sign-algorithm=sha1&q-ak=key&q-signature=aa"}, []string{"Authorization", "q-sign-algorithm=sha1&q-ak=other&q-signature=aa"}, apart},
		{"Azure Cosmos DB", []string{"Authorization", "type%3dmaster%26ver%3d1.0%26sig%3daa"}, []string{"Authorization", "type%3dmaster%26ver%3d1.0%26sig%3dbb"}, alike},
		{"Azure shared access, another name", []string{"Authorization", "SharedAccessSignature sr=hub&sig=aa&se=1&skn=name"}, []string{"Authorization", "SharedAccessSignature sr=hub&sig=aa&se=1&skn=other"}, apart},
		{"scheme in another case", []string{"Authorization", `digest USERNAME="u", nonce="1"`}, []string{"Authorization", `digest username="u", nonce="2"`}, alike},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := Default(request(t, testURL, test.a...)), Default(request(t, testURL, test.b...))
			require.Equal(t, test.want, a == b)
		})
	}
}

func TestUserInfoIsACredential(t *testing.T) {
	partitions := map[Key]bool{}
	for _, userinfo := range []string{"", "a@", "a:p@", "a:q@", "b:p@"} {
		partitions[Default(request(t, "https://"+userinfo+"api.example.com/"))] = true
	}
	require.Len(t, partitions, 5)
}

// A value without its scheme's parameters still identifies one client.
func TestAuthorizationWithoutItsParameters(t *testing.T) {
	for _, value := range []string{"", " ", "Digest", "Digest ", "Digest =,=;&\"", `OAuth "oauth_consumer_key`, "AWS4-HMAC-SHA256 Credential", "Signature keyId=\"unclosed"} {
		name := nameOf(request(t, testURL, "Authorization", value))
		require.Equal(t, name, nameOf(request(t, testURL, "Authorization", value)))
		require.NotEqual(t, nameOf(request(t, testURL)), name, "%q is a credential", value)
	}
}

// A header map that was filled without Set may have keys in lower case.
func TestCredentialInLowerCase(t *testing.T) {
	canonical := request(t, testURL)
	canonical.Header.Set("Authorization", "Bearer a")
	manual := request(t, testURL)
	manual.Header["authorization"] = []string{"Bearer a"} // as a program might
	require.Equal(t, nameOf(canonical), nameOf(manual))
	require.NotEqual(t, nameOf(request(t, testURL)), nameOf(manual))
}
