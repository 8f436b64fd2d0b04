// Package engine is a worker as the cluster sees it: requests go in, passes
// begin and end, tokens come out. How a pass is made up is for the schedulers
// below it to say, one for each backend.
package engine
