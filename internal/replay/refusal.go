package replay

import (
	"net/http"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// ReadRefusal looks at a response's body if that may prove that the response refuses req, or is problem+json, unless it is
// encoded. It adds the proof to reading and returns the violated policies by their [limits.ShortName]: nil if the body does
// not contain all of them, see [parse.ViolatedPolicies]. It leaves all other responses alone, at no cost.
func ReadRefusal(req *http.Request, resp *http.Response, reading *validate.Reading) []string {
	isProblem := parse.IsProblem(resp.Header.Get("Content-Type"))
	isShort := resp.ContentLength <= parse.MaxProblemLength // a problem must be read completely, a proof is at the beginning
	isWanted := isProblem && isShort || reading.Unproven
	if !isWanted || resp.Header.Get("Content-Encoding") != "" || !BodyFollows(req, resp) {
		return nil
	}
	look := LookAt(req, resp, parse.MaxProblemLength)
	_ = look.finish() // the caller gets the error
	if !reading.Prove(look.data) || !isProblem {
		return nil
	}
	violated := parse.ViolatedPolicies(look.data)
	for i, name := range violated {
		violated[i] = limits.ShortName(name)
	}
	return violated
}
