package depot

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// An Error is an answer of the API that says why a call failed.
type Error struct {
	Status  int    `json:"-"`       // of HTTP
	Code    string `json:"code"`    // for programs, such as "not_found"; "" if the API did not say
	Message string `json:"message"` // for people
}

func (e *Error) Error() string {
	return fmt.Sprintf("depot: %s (%d)", e.Message, e.Status)
}

// newError reads what the API, or something in between, says of a failure.
func newError(status int, body []byte) *Error {
	e := &Error{Message: http.StatusText(status)}
	if err := json.Unmarshal(body, e); err != nil {
		e = &Error{Message: http.StatusText(status)} // not the API's words: a proxy's page
	}
	e.Status = status
	return e
}
