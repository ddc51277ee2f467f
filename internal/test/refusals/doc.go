// Package refusals tests what headway does when a server refuses, and when headway itself does. Which throttled requests
// are sent again, when and with which body? How are requests refused that would wait too long? What happens to limits that
// a server reports by mistake?
package refusals
