// Package services tests headway with the responses of real services, with profiles, and with the rules for ambiguous
// fields.
package services
