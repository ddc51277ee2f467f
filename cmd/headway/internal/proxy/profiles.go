package proxy

import (
	"encoding/json"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/headway-go/headway/validate"
)

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
