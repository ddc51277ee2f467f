package replay

import (
	"net/http"

	"github.com/headway-go/headway/validate"
)

// ReadRefusal looks at a response's body if that may show what the response means for req, unless it is encoded, and adds
// that to reading. It leaves all other responses alone, at no cost.
func ReadRefusal(req *http.Request, resp *http.Response, reading *validate.Reading) {
	if !reading.WantsBody {
		return
	}
	var body []byte
	if resp.Header.Get("Content-Encoding") == "" && BodyFollows(req, resp) {
		look := LookAt(req, resp, validate.MaxBody)
		_ = look.finish() // the caller gets the error
		body = look.data
	}
	reading.ReadBody(body)
}
