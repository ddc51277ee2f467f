package page

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Folder has pages.
type Folder string

// ErrNoDocs means that the program does not run inside of the repository.
var ErrNoDocs = errors.New("no folder above this one has docs/figures")

// Docs returns the folder docs of the repository: that of the working directory, or of a folder above it. Its error is
// ErrNoDocs, or that of finding the working directory.
func Docs() (Folder, error) {
	from, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; from = filepath.Dir(from) {
		docs := filepath.Join(from, "docs")
		if _, err := os.Stat(filepath.Join(docs, "figures")); err == nil {
			return Folder(docs), nil
		}
		if from == filepath.Dir(from) {
			return "", ErrNoDocs
		}
	}
}

// Figures returns the folder docs/figures of the repository. Its errors are those of Docs.
func Figures() (Folder, error) {
	docs, err := Docs()
	return Folder(docs.path("figures")), err
}

func (f Folder) path(name string) string { return filepath.Join(string(f), name) }

// Read returns the text of a page. Its error is that of os.ReadFile.
func (f Folder) Read(name string) (string, error) {
	text, err := os.ReadFile(f.path(name))
	return string(text), err
}

// Write writes a page, for all to read. Its error is that of os.WriteFile.
func (f Folder) Write(name, text string) error {
	return os.WriteFile(f.path(name), []byte(text), 0o644) //nolint:gosec // pages are public
}

// Replace writes the part of a page that is between the marks <!-- mark --> and <!-- /mark -->. All else on the page
// stays. Its errors are those of Read, WithPart and Write.
func (f Folder) Replace(name, mark, part string) error {
	text, err := f.Read(name)
	if err != nil {
		return err
	}
	if text, err = WithPart(text, mark, part); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return f.Write(name, text)
}

// Part returns the part of a page that is between the marks <!-- mark --> and <!-- /mark -->. It returns an error if the
// page does not have both of them, in this order.
func Part(text, mark string) (string, error) {
	_, part, _, err := cut(text, mark)
	return part, err
}

// WithPart returns a page with another part between the marks of a name. Its errors are those of Part.
func WithPart(text, mark, part string) (string, error) {
	before, _, after, err := cut(text, mark)
	if err != nil {
		return "", err
	}
	return before + part + after, nil
}

// cut splits a page before and after a part. The marks stay.
func cut(text, mark string) (before, part, after string, err error) {
	begin, end := "<!-- "+mark+" -->\n", "<!-- /"+mark+" -->\n"
	before, rest, begins := strings.Cut(text, begin)
	part, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return "", "", "", fmt.Errorf("there is no place for figures between %q and %q", begin, end)
	}
	return before + begin, part, end + after, nil
}
