package proxy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headway-go/headway/validate"
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

// What packages yaml and json say: of a place, of a key that no field has, and of a value.
var (
	saidLine    = regexp.MustCompile(`^(?:yaml: )?line (\d+): (?:validate: )?`)
	saidUnknown = regexp.MustCompile(`(?:json: unknown )?field "?([^\s"]+)"?(?: not found in type \S+|$)`)
	saidYAML    = regexp.MustCompile("(?s)cannot unmarshal !!(\\w+)(?: `(.*)`)? into (\\S+)")
	saidJSON    = regexp.MustCompile(`json: cannot unmarshal (\w+) into Go struct field \.?(\S+) of type (\S+)`)
)

// say puts an error of these packages into words.
func (c *Config) say(text string) string {
	text = saidLine.ReplaceAllString(text, c.file+":$1: ")
	text = saidUnknown.ReplaceAllString(text, `unknown key "$1"`)
	if found := saidYAML.FindStringSubmatch(text); found != nil {
		given := strconv.Quote(found[2])
		if found[2] == "" {
			given = map[string]string{"map": "a group of settings", "seq": "a list"}[found[1]]
		}
		text = saidYAML.ReplaceAllLiteralString(text, given+" is not "+kindOf(found[3]))
	}
	if found := saidJSON.FindStringSubmatch(text); found != nil {
		text = saidJSON.ReplaceAllLiteralString(text, found[2]+" is a "+found[1]+", not "+kindOf(found[3]))
	}
	if !strings.HasPrefix(text, c.file) {
		text = c.file + ": " + strings.TrimPrefix(text, "yaml: ")
	}
	return text
}

// kindOf returns what a value of a type of Go is for people.
func kindOf(typ string) string {
	switch name := typ[strings.LastIndexByte(typ, '.')+1:]; {
	case strings.HasPrefix(typ, "[]"), name == "Profiles":
		return "a list"
	case strings.EqualFold(name, "duration"):
		return "a duration such as 30s or 1m30s"
	case strings.HasPrefix(name, "int"):
		return "a whole number"
	case name == "bool":
		return "true or false"
	case name == "string":
		return "a text"
	}
	return "a group of settings such as key: value"
}

// locate adds to a mistake where it is in the file, if the Config is of one.
func (c *Config) locate(err error) error {
	m, isMistake := errors.AsType[*mistake](err)
	if !isMistake || c.file == "" {
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

// Profiles is a list of profiles in a Config, with the keys that [validate.ReadProfiles] has.
type Profiles []validate.Profile

// UnmarshalYAML reads the list. Its errors name the key.
func (p *Profiles) UnmarshalYAML(node *yaml.Node) error {
	var list any
	if err := node.Decode(&list); err != nil {
		return err
	}
	text, err := json.Marshal(list)
	if err != nil {
		return errors.New("profiles must be a list whose keys are texts")
	}
	if *p, err = validate.ReadProfiles(text); err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	return nil
}
