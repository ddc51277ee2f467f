module github.com/headway-go/headway/internal/measure/soak

go 1.26

require (
	github.com/headway-go/headway v0.1.0
	github.com/stretchr/testify v1.12.1
)

require (
	github.com/cenkalti/backoff/v4 v4.3.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/time v0.15.0 // indirect
)

replace github.com/headway-go/headway => ../../..
