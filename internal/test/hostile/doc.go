// Package hostile tests headway against hostile and broken servers: nonsense text and numbers, lies, and
// responses from gateways and caches.
package hostile
