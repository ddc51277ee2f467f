// Package fleet shares quotas among the processes that use the same credentials.
package fleet
