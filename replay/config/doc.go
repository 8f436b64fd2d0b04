// Package config reads the prediction YAML: a workload and a deployment. What
// comes out of [Load] is plain Go values, validated and with every default
// filled in. Errors tell every problem at once, each with its place, its path,
// what was found and what is allowed.
package config
