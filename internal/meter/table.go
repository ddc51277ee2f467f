package meter

import (
	"container/list"
	"time"
)

// MaxClients is the number of clients for which a Limiter keeps state. When another client comes, the Limiter
// forgets the client whose state has not changed for the longest time. A forgotten client starts anew.
const MaxClients = 1 << 16

// A Table keeps the state of each client. Its zero value is empty. The caller must hold a lock.
type Table[S any] struct {
	clients map[string]*list.Element
	oldest  list.List // elements are *row[S], the longest unchanged first
}

// A row is the state of one client, and when it was last changed.
type row[S any] struct {
	client string
	at     time.Time
	state  S
}

// Get returns the client's state, or fresh if the table does not have the client.
func (t *Table[S]) Get(client string, fresh S) S {
	if e, ok := t.clients[client]; ok {
		return e.Value.(*row[S]).state
	}
	return fresh
}

// Put sets the client's state. now is the time of the change.
func (t *Table[S]) Put(client string, now time.Time, s S) {
	if e, ok := t.clients[client]; ok {
		r := e.Value.(*row[S])
		r.at, r.state = now, s
		t.oldest.MoveToBack(e)
		return
	}
	if t.clients == nil {
		t.clients = make(map[string]*list.Element)
	}
	if len(t.clients) >= MaxClients {
		t.remove(t.oldest.Front())
	}
	t.clients[client] = t.oldest.PushBack(&row[S]{client: client, at: now, state: s})
}

// Forget drops the clients whose state was last changed at or before then. The caller chooses then so that
// these states equal the state of a new client.
func (t *Table[S]) Forget(then time.Time) {
	for e := t.oldest.Front(); e != nil && !e.Value.(*row[S]).at.After(then); e = t.oldest.Front() {
		t.remove(e)
	}
}

// Remove drops a client.
func (t *Table[S]) Remove(client string) {
	if e, ok := t.clients[client]; ok {
		t.remove(e)
	}
}

// Len returns the number of clients.
func (t *Table[S]) Len() int { return len(t.clients) }

func (t *Table[S]) remove(e *list.Element) {
	delete(t.clients, t.oldest.Remove(e).(*row[S]).client)
}
