package main

import (
	"debug/elf"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/cmd/headway/internal/proxy"
)

// The files in folder deploy.
const (
	unitFile   = "headway-proxy.service"
	imageFile  = "Dockerfile"
	configFile = "headway.yaml"
)

// deployed returns the text that the pattern's group matches in a file of folder deploy.
func deployed(t *testing.T, file, pattern string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", file))
	require.NoError(t, err)
	found := regexp.MustCompile("(?m)"+pattern).FindAllStringSubmatch(string(text), -1)
	require.Len(t, found, 1, "%s: %s", file, pattern)
	return found[0][1]
}

// deployedConfig returns the settings that a command line has with the example file.
func deployedConfig(t *testing.T, args []string) proxy.Config {
	t.Helper()
	require.Equal(t, "proxy", args[0])
	i := slices.Index(args, "/etc/headway/"+configFile)
	require.Positive(t, i)
	args[i] = filepath.Join("deploy", configFile)
	c, err := new(proxyOptions).parse(args[1:])
	require.NoError(t, err)
	require.NoError(t, c.Check())
	require.Greater(t, len(c.Upstreams), 1)
	return c
}

func TestDeployedUnit(t *testing.T) {
	args := strings.Fields(deployed(t, unitFile, `^ExecStart=(.+)$`))
	require.Equal(t, strings.Join(args[3:], " "), deployed(t, unitFile, `^ExecReload=.* -check (.+)$`))
	require.Equal(t, "/usr/local/bin/headway", args[0])
	c := deployedConfig(t, args[1:])
	require.Equal(t, "127.0.0.1:8429", c.Listen, "for programs on this machine")
	require.Equal(t, filepath.Join("/var/lib", deployed(t, unitFile, `^StateDirectory=(.+)$`)), filepath.Dir(c.Snapshot))

	limit, err := time.ParseDuration(deployed(t, unitFile, `^TimeoutStopSec=(\d+)$`) + "s")
	require.NoError(t, err)
	require.Zero(t, c.Grace, "the default")
	require.Zero(t, c.Drain)
	require.Greater(t, limit, proxy.DefaultGrace+proxy.RefusalTime, "systemd must not kill a proxy that ends in order")
}

func TestDeployedImage(t *testing.T) {
	var args []string
	require.NoError(t, json.Unmarshal([]byte(deployed(t, imageFile, `^CMD (.+)$`)), &args))
	c := deployedConfig(t, args)
	require.Equal(t, deployed(t, imageFile, `^EXPOSE (.+)$`), strings.ReplaceAll(c.Listen+" "+c.AdminListen, "0.0.0.0:", ""), "loopback is the container's own")
	require.Equal(t, deployed(t, imageFile, `^COPY .* /state (.+)$`), filepath.Dir(c.Snapshot))
}

// The image has no C library, so the program must need none, nor a loader.
func TestDeployedProgramIsStatic(t *testing.T) {
	require.Equal(t, "CGO_ENABLED=0", strings.Fields(deployed(t, imageFile, `^RUN (.* go build .*)$`))[0])
	file := filepath.Join(t.TempDir(), "headway")
	command := exec.CommandContext(t.Context(), "go", "build", "-o", file, ".")
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	program, err := elf.Open(file)
	require.NoError(t, err)
	defer func() { require.NoError(t, program.Close()) }()
	for _, part := range program.Progs {
		require.NotEqual(t, elf.PT_INTERP, part.Type)
	}
	libraries, err := program.ImportedLibraries()
	require.NoError(t, err)
	require.Empty(t, libraries)
}
