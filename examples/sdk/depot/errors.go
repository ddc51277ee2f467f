package depot

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// An Error is an error response of the API.
type Error struct {
	Status  int    `json:"-"`       // the HTTP status
	Code    string `json:"code"`    // for programs, such as "not_found"; "" if the response has none
	Message string `json:"message"` // for people
}

func (e *Error) Error() string {
	return fmt.Sprintf("depot: %s (%d)", e.Message, e.Status)
}

// newError parses an error response of the API, or of a proxy.
func newError(status int, body []byte) *Error {
	e := &Error{Message: http.StatusText(status)}
	if err := json.Unmarshal(body, e); err != nil {
		e = &Error{Message: http.StatusText(status)} // the body is not the API's, for example a proxy's page
	}
	e.Status = status
	return e
}
