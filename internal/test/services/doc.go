// Package services tests headway with the responses of real services, with profiles, with the rules for ambiguous fields,
// and with limits in trailer sections.
package services
