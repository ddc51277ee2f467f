package validate_test

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/headway-go/headway/validate"
)

// A corpusCase is one response of a corpus file. A case looks like this:
//
//	=== primary limit, quota left
//	# observed: https://github.com/owner/repo/issues/1
//	GET https://api.github.com/user
//	at 2017-03-14T15:16:01Z
//	HTTP/1.1 200 OK
//	Date: Tue, 14 Mar 2017 15:16:00 GMT
//	X-RateLimit-Remaining: 4999
//
//	limit "" r=4999
//
// Lines that begin with "#" are comments. They say where the response comes from, as a URL or as "after"
// with the source code of a library, and why a surprising field is read as it is. A source in the
// comments at the head of the file applies to all its cases.
//
// The request is optional; its host selects the profile. A line with "profile" and JSON has one of the caller's. The
// time of receipt, after "at", is optional too; if it is missing, the response's Date is used, else received. A line with
// "body" has the beginning of the body, which may prove a refusal. The head of the response, a blank line, and the expected
// Reading in the notation of render follow.
type corpusCase struct {
	title    string
	response *http.Response
	received time.Time
	profiles []validate.Profile
	body     string
	want     string
}

const corpusTitle = "=== "

// readCorpus reads a corpus file.
func readCorpus(text string) ([]corpusCase, error) {
	parts := strings.Split("\n"+text, "\n"+corpusTitle)
	hasSource, err := readCorpusHead(parts[0])
	if err != nil {
		return nil, err
	}
	if len(parts) == 1 {
		return nil, errors.New("no cases")
	}
	titles := make(map[string]bool)
	cases := make([]corpusCase, len(parts)-1)
	for i, part := range parts[1:] {
		c := &cases[i]
		c.title, part, _ = strings.Cut(part, "\n")
		if titles[c.title] {
			return nil, fmt.Errorf("case %q: there is another one of that title", c.title)
		}
		titles[c.title] = true
		if err := c.read(part, hasSource); err != nil {
			return nil, fmt.Errorf("case %q: %w", c.title, err)
		}
	}
	return cases, nil
}

// readCorpusHead reads the lines before the first case.
func readCorpusHead(text string) (hasSource bool, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			return false, fmt.Errorf("%q is neither a comment nor in a case", line)
		}
		hasSource = hasSource || isSource(line)
	}
	return hasSource, nil
}

// isSource reports whether a comment says where a response comes from.
func isSource(comment string) bool {
	return strings.Contains(comment, "https://") || strings.Contains(comment, "http://") ||
		strings.HasPrefix(comment, "# after ")
}

func (c *corpusCase) read(text string, hasSource bool) error {
	if c.title == "" {
		return errors.New("no title")
	}
	var request *http.Request
	for {
		line, rest, _ := strings.Cut(text, "\n")
		var err error
		switch {
		case strings.HasPrefix(line, "#"):
			hasSource = hasSource || isSource(line)
		case strings.HasPrefix(line, "profile "):
			c.profiles, err = validate.ReadProfiles([]byte(strings.TrimPrefix(line, "profile ")))
		case strings.HasPrefix(line, "body "):
			c.body = strings.TrimPrefix(line, "body ")
		case strings.HasPrefix(line, "at "):
			c.received, err = time.Parse(time.RFC3339, strings.TrimPrefix(line, "at "))
		case strings.HasPrefix(line, "HTTP/"):
			if !hasSource {
				return errors.New("no source")
			}
			return c.readResponse(text, request)
		default:
			request, err = readCorpusRequest(line)
		}
		if err != nil {
			return err
		}
		text = rest
	}
}

// readCorpusRequest reads "GET https://host/path".
func readCorpusRequest(line string) (*http.Request, error) {
	method, target, _ := strings.Cut(line, " ")
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || method == "" {
		return nil, fmt.Errorf("%q is neither a comment, a time, a request nor a status line", line)
	}
	return &http.Request{Method: method, URL: u}, nil
}

// readResponse reads the head of the response as net/http does, and the expected Reading. curl prints
// HTTP/2 without a minor version.
func (c *corpusCase) readResponse(text string, request *http.Request) (err error) {
	version, text, _ := strings.Cut(text, " ")
	if !strings.Contains(version, ".") {
		version += ".0"
	}
	head, want, _ := strings.Cut(text, "\n\n")
	head = version + " " + strings.TrimRight(head, "\n") + "\n\n"
	c.want = strings.TrimRight(want, "\n")
	c.response, err = http.ReadResponse(bufio.NewReader(strings.NewReader(head)), request)
	if err != nil {
		return err
	}
	if c.received.IsZero() {
		c.received = received
		if date, err := http.ParseTime(c.response.Header.Get("Date")); err == nil {
			c.received = date
		}
	}
	return nil
}
