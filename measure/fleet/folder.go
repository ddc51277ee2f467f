//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/measure/internal/loopback"
	"github.com/headway-go/headway/ratelimittest"
)

// This file measures fleets that meet in a folder. The server sends X-RateLimit fields, whose reset is a whole second.

// folderForm is the form of runs with so many processes, which have two requests at once.
func folderForm(processes int) form {
	return form{
		processes: processes, workers: 2, isFolder: true, dialect: ratelimittest.XRateLimit,
		quota: 100, window: 10 * time.Second, warmUp: 21 * time.Second, measured: 60 * time.Second, strike: 15 * time.Second,
		sound:  bounds{refused: 5, used: 0.96, jain: 0.97},
		faulty: bounds{refused: 5, used: 0.96, jain: 0.5},
	}
}

// folderFaults are faults of a folder and its members.
func folderFaults() []fault {
	over := func(context.Context, *scene) error { return nil }
	return []fault{
		{name: "two killed", kills: true, lasts: time.Second, end: over, begin: func(_ context.Context, s *scene) error {
			for _, m := range s.members[:2] {
				m.killed = true
				m.kill()
			}
			return nil
		}},
		{name: "removed", lasts: time.Second, end: over, begin: func(_ context.Context, s *scene) error { return os.RemoveAll(s.folder) }},
	}
}

// measureFolders makes the runs, prints their table, and writes the page if nothing is wrong.
func (s *session) measureFolders(ctx context.Context) error {
	rows := [][]string{{"processes", "fault", "refused in all", "in the first window", "after it, per 1000", "used", "most by one process in a window", "least", "CPU of each"}}
	var wrong []string
	add := func(f form, fault fault) error {
		if s.only != "" && s.only != strconv.Itoa(f.processes) {
			return nil
		}
		x, err := f.measure(ctx, &run{limit: fixed, fleet: true, fault: fault})
		if err != nil {
			return err
		}
		if f.processes <= 30 { // more share two processors here, and are shown alone
			x.judge()
		}
		wrong = append(wrong, x.wrong...)
		if s.verbose {
			_, _ = fmt.Fprintf(s.out, "%d processes %s:\n%s\n", f.processes, fault.name, x.windows())
		}
		rows = append(rows, x.folderRow())
		return nil
	}
	err := add(folderForm(8), fault{})
	for _, fault := range folderFaults() {
		err = errors.Join(err, add(folderForm(8), fault))
	}
	for _, n := range []int{30, 80, 200} {
		err = errors.Join(err, add(folderForm(n), fault{}))
	}
	lives, idle := [][]string{{"processes", "requests", "refused", "windows", "most served in a window"}}, time.Duration(0)
	for _, atOnce := range []bool{false, true} {
		row, err2 := shortLives(ctx, atOnce)
		lives, err = append(lives, row), errors.Join(err, err2)
	}
	idle, err2 := idleMembers(ctx)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	text := fmt.Sprintf(folderPage, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), latency, page.Table(rows), page.Table(lives), 100*idle.Seconds()/60)
	for _, w := range wrong {
		text = text + "\nWRONG: " + w
	}
	if _, err := fmt.Fprintln(s.out, text); err != nil {
		return err
	}
	if len(wrong) > 0 {
		return errWrong
	}
	if s.write == "" || s.only != "" {
		return nil
	}
	return s.write.Write("fleet-folder.md", text)
}

func (x *result) folderRow() []string {
	first := x.all[0].Time.Truncate(x.form.window).Add(x.form.window)
	most, least := 0, 1<<30
	for from := x.from; from.Before(x.to); from = from.Add(x.form.window) {
		in := x.all.Between(from, from.Add(x.form.window)).Allowed()
		for _, a := range x.accounts {
			n := len(slices.DeleteFunc(slices.Clone(in), func(r ratelimittest.Arrival) bool { return r.RemoteAddr != a.Member }))
			most, least = max(most, n), min(least, n)
		}
	}
	cpu := x.sum(func(a *account) int { return int(a.CPU) }) / max(len(x.accounts), 1)
	return page.Row(x.form.processes, x.fault.name, len(x.all.Refused()), len(x.all.Between(time.Time{}, first).Refused()),
		refusedOf(x.all.Between(first, x.to)), part(x.used()), most, least, fmt.Sprintf("%.1f %%", 100*time.Duration(cpu).Seconds()/x.to.Sub(x.all[0].Time).Seconds()))
}

// shortLives lets twenty processes live for two seconds, one after the other or at once.
func shortLives(ctx context.Context, atOnce bool) ([]string, error) {
	f, name := folderForm(20), "20, one after the other"
	s, err := newScene(ctx, &f, &run{limit: fixed, fleet: true})
	if err != nil {
		return nil, err
	}
	if atOnce {
		name, err = "20 at once", s.startMembers(&f, time.Now().Add(2*time.Second))
	}
	for i := 0; i < f.processes && err == nil; i++ {
		if !atOnce {
			err = s.startMember(&f, time.Now().Add(2*time.Second))
		}
		if err == nil {
			<-s.members[i].ended
		}
	}
	all, windows := s.service.handler.Arrivals(), map[int64]int{}
	for _, a := range all.Allowed() {
		windows[a.Time.UnixNano()/int64(f.window)]++
	}
	most := 0
	for _, n := range windows {
		most = max(most, n)
	}
	return page.Row(name, len(all), len(all.Refused()), strconv.Itoa(len(windows)), most), errors.Join(err, s.close())
}

// idleMembers returns the processor time of a member that has made one request and none for a minute after it.
func idleMembers(ctx context.Context) (time.Duration, error) {
	f := folderForm(8)
	f.workers = 0
	s, err := newScene(ctx, &f, &run{limit: fixed, fleet: true})
	if err == nil {
		err = s.startMembers(&f, time.Now().Add(time.Minute))
	}
	if err == nil && !loopback.Sleep(ctx, time.Minute) {
		err = ctx.Err()
	}
	all, err2 := s.accounts(ctx)
	var sum time.Duration
	for _, a := range all {
		sum += a.CPU / time.Duration(len(all))
	}
	return sum, errors.Join(err, err2, s.close())
}

const folderPage = `# A fleet in a folder, measured

Processes on one machine (%s/%s, %d processors, %s) meet in a folder and share 100 requests per 10 s of a real HTTP server. Each
always has two requests to send. The server sends X-RateLimit-Limit, -Remaining and -Reset, whose reset is a whole second. It
responds after %v. Time is real. This page is written and checked by

` + "```sh\nmeasure/run fleet-folder   # ten minutes\n```" + `

- Each run is measured for six windows, from the third one on. "In all" includes the windows before these.
- The page is not written if more than 5 of 1000 requests of up to 30 processes are refused, or less than 0.96 of the quota is used.
- Two killed: two of the processes are killed with SIGKILL after 15 s. Removed: the folder is removed after 15 s.

%s

## Short lives

Each process lives for two seconds, and sends as much as it may.

%s

## A member that is idle

A member that has sent one request a minute ago has used %.3f %% of a processor since then.
`
