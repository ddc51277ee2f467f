package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// ReadConfig reads a Config in YAML. An unknown key is an error. Errors, those of Check too, name the file and the line.
func ReadConfig(file string, text []byte) (Config, error) {
	c := Config{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	err := decoder.Decode(&c)
	c.file, c.source = file, string(text)
	wrong, isWrong := errors.AsType[*yaml.TypeError](err)
	switch {
	case isWrong:
		for i, text := range wrong.Errors {
			wrong.Errors[i] = c.say(text)
		}
		return Config{}, errors.New(strings.Join(wrong.Errors, "; "))
	case err != nil && !errors.Is(err, io.EOF):
		return Config{}, errors.New(c.say(err.Error()))
	case err == nil && !errors.Is(decoder.Decode(new(yaml.Node)), io.EOF):
		return Config{}, errors.New(file + ": the file must have one document only, so no line --- below the first setting")
	}
	return c, nil
}

// What package yaml says: of a place, of a key that no field has, of a key that is there twice, and of a value.
var (
	yamlLine    = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)
	yamlUnknown = regexp.MustCompile(`field (\S+) not found in type \S+`)
	yamlTwice   = regexp.MustCompile(`mapping key ("[^"]*") already defined at line (\d+)`)
	yamlValue   = regexp.MustCompile("(?s)cannot unmarshal !!(\\w+)(?: `(.*)`)? into (\\S+)")
)

// say puts an error of package yaml into words.
func (c *Config) say(text string) string {
	text = yamlLine.ReplaceAllString(text, c.file+":$1: ")
	text = yamlUnknown.ReplaceAllString(text, `unknown key "$1"`)
	text = yamlTwice.ReplaceAllString(text, "the key $1 is here and in line $2; remove one of them")
	if found := yamlValue.FindStringSubmatch(text); found != nil {
		given, want := strconv.Quote(found[2]), "a group of settings, each as key: value"
		switch kind := found[3]; {
		case kind == "time.Duration":
			want = "a duration such as 30s or 1m30s"
		case strings.HasPrefix(kind, "int"):
			want = "a whole number"
		case kind == "bool":
			want = "true or false"
		case kind == "string":
			want = "one text"
		case strings.HasPrefix(kind, "[]"):
			want = "a list"
		}
		if found[2] == "" {
			given = map[string]string{"map": "a group of settings", "seq": "a list"}[found[1]]
		}
		text = yamlValue.ReplaceAllLiteralString(text, fmt.Sprintf("%s stands where %s must be", given, want))
	}
	if !strings.HasPrefix(text, c.file) {
		text = c.file + ": " + strings.TrimPrefix(text, "yaml: ")
	}
	return text
}

// locate adds to a mistake where it is in the file, if the Config is of one.
func (c *Config) locate(err error) error {
	m, isMistake := errors.AsType[*mistake](err)
	if !isMistake || c.source == "" {
		return err
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(c.source), &document); err != nil || len(document.Content) == 0 {
		return fmt.Errorf("%s: %w", c.file, m)
	}
	return fmt.Errorf("%s:%d: %w", c.file, lineOf(document.Content[0], strings.Split(m.setting, ".")), m)
}

// lineOf returns the line of a setting below a node; if it is not there, that of what should have it.
func lineOf(node *yaml.Node, path []string) int {
	for i := range node.Content {
		isMap := node.Kind == yaml.MappingNode
		isIt := isMap && i%2 == 1 && node.Content[i-1].Value == path[0] || !isMap && strconv.Itoa(i) == path[0]
		switch {
		case isIt && len(path) == 1 && isMap:
			return node.Content[i-1].Line
		case isIt && len(path) == 1:
			return node.Content[i].Line
		case isIt:
			return lineOf(node.Content[i], path[1:])
		}
	}
	return node.Line
}
