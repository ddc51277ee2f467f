package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostWords is how many words a sentence has at most. Longer ones are read twice.
const mostWords = 35

// TestSentencesAreShort holds every comment and every page to sentences of 35 words at most. A subtest
// is a folder.
func TestSentencesAreShort(t *testing.T) {
	folders := map[string][]string{} // the long sentences of each
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && len(entry.Name()) > 2 || entry.Name() == "testdata" {
			return fs.SkipDir
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		var texts []string
		switch filepath.Ext(path) {
		case ".go":
			texts = comments(t, path)
		case ".md":
			page, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			texts = markdown(string(page))
		default:
			return nil
		}
		folders[folder] = append(folders[folder], longSentences(entry.Name(), texts)...)
		return nil
	})
	require.NoError(t, err)
	for folder, long := range folders {
		t.Run(folder, func(t *testing.T) {
			require.Empty(t, long, strings.Join(long, "\n"))
		})
	}
}

// longSentences returns the sentences of the texts that have too many words, each after its file's name.
func longSentences(file string, texts []string) []string {
	var long []string
	for _, text := range texts {
		for sentence := range strings.SplitSeq(sentenceEnd.ReplaceAllString(strings.Join(strings.Fields(text), " "), "$1\n"), "\n") {
			if n := len(strings.Fields(sentence)); n > mostWords {
				long = append(long, fmt.Sprintf("%s: %d words: %s", file, n, sentence))
			}
		}
	}
	return long
}

// sentenceEnd is what ends a sentence.
var sentenceEnd = regexp.MustCompile(`([.!?][)"”*_]*)\s`)

// comments returns the paragraphs and list items of a file's comments, but for code in them.
func comments(t *testing.T, file string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	require.NoError(t, err)
	var texts []string
	for _, group := range parsed.Comments {
		if text := commentText(group); !output.MatchString(text) {
			texts = append(texts, paragraphs(text)...)
		}
	}
	return texts
}

// commentText is what a comment says. Other than ast.CommentGroup.Text, it keeps what looks like a directive.
func commentText(group *ast.CommentGroup) string {
	var text strings.Builder
	for _, c := range group.List {
		line := strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*")
		text.WriteString(strings.TrimPrefix(strings.TrimSuffix(line, "*/"), " ") + "\n")
	}
	return text.String()
}

// paragraphs splits text at empty lines, list items and headings. Indented lines are code, unless they go on
// with a list item.
func paragraphs(text string) []string {
	var all []string
	inList, begins := false, true
	for line := range strings.SplitSeq(text, "\n") {
		trimmed := strings.TrimSpace(line)
		item := listItem.FindString(line)
		switch {
		case trimmed == "":
			begins = true
		case item != "":
			inList = true
			all, begins = append(all, strings.TrimPrefix(line, item)), false
		case line[0] == '\t' || strings.HasPrefix(line, "  ") && !inList:
			begins = true
		case begins || strings.HasPrefix(line, "#"):
			inList = inList && strings.HasPrefix(line, "  ")
			all, begins = append(all, trimmed), strings.HasPrefix(line, "#")
		default:
			all[len(all)-1] += " " + trimmed
		}
	}
	return all
}

// output is what an example prints, which is no prose.
var output = regexp.MustCompile(`^(Unordered output|Output):`)

var listItem = regexp.MustCompile(`^\s*([-*+]|\d+[.)])\s+`)

// markdown returns the paragraphs, list items and cells of tables of a page, but for its code.
func markdown(page string) []string {
	page = fence.ReplaceAllString(page, "\n\n")
	page = inlineCode.ReplaceAllString(page, "code")
	page = link.ReplaceAllString(page, "$1")
	page = tag.ReplaceAllString(page, "\n\n")
	var texts []string
	for _, paragraph := range paragraphs(tableLine.ReplaceAllString(page, "\n$0\n")) {
		texts = append(texts, strings.Split(paragraph, "|")...)
	}
	return texts
}

var (
	fence      = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	inlineCode = regexp.MustCompile("`[^`\n]+`")
	link       = regexp.MustCompile(`!?\[([^]]*)\]\([^)]*\)`)
	tag        = regexp.MustCompile(`<[^>]+>`)
	tableLine  = regexp.MustCompile(`(?m)^\|.*$`)
)
