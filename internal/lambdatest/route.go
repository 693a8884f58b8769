package lambdatest

import "strings"

// match finds the route for a request. Methods and paths are case-sensitive. Of
// several resources the most specific wins, segment by segment: a literal before
// a parameter before a greedy one. Parameters are percent-encoded, as REST APIs
// leave them.
func match(routes []Route, method, path string) (*Route, map[string]string) {
	var best *Route
	var bestParams map[string]string
	bestRank := ""
	for i := range routes {
		route := &routes[i]
		if route.Method != method && route.Method != "ANY" {
			continue
		}
		params, rank, ok := matchPath(route.Path, path)
		if !ok {
			continue
		}
		if route.Method == method {
			rank += "1" // before ANY of the same resource
		}
		if best == nil || rank > bestRank {
			best, bestParams, bestRank = route, params, rank
		}
	}
	return best, bestParams
}

// matchPath matches a path with a resource. Ranks compare as strings; a higher
// one is more specific.
func matchPath(resource, path string) (params map[string]string, rank string, ok bool) {
	var ranks strings.Builder
	want, have := strings.Split(strings.TrimPrefix(resource, "/"), "/"), strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i, segment := range want {
		if i >= len(have) {
			return nil, "", false
		}
		name, isParam := strings.CutPrefix(segment, "{")
		value, rest := have[i], '3'
		if isParam {
			name, rest = strings.TrimSuffix(name, "}"), '2'
			greedy := false
			if name, greedy = strings.CutSuffix(name, "+"); greedy {
				value, rest = strings.Join(have[i:], "/"), '1'
				have = have[:i+1]
			}
			if value == "" {
				return nil, "", false
			}
			if params == nil {
				params = map[string]string{}
			}
			params[name] = value
		} else if segment != value {
			return nil, "", false
		}
		ranks.WriteRune(rest)
	}
	return params, ranks.String(), len(want) == len(have)
}
