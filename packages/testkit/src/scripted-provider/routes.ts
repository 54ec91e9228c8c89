/** Which wire a path speaks. `/<dialect>/…` speaks that dialect; paths without a prefix speak the server's own. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Dialect, Wire } from './script.ts'

export interface Route {
  wire: Wire
  dialect: Dialect
  kind: 'generate' | 'models' | 'count' | 'tags' | 'show' | 'ps' | 'props'
}

const dialects: readonly Dialect[] = ['openai', 'deepseek', 'mistral', 'llamacpp', 'vllm', 'ollama', 'openrouter', 'compatible']

const posts: { [path: string]: [Wire, Route['kind']] } = {
  '/chat/completions': ['chat', 'generate'],
  '/messages': ['messages', 'generate'],
  '/messages/count_tokens': ['messages', 'count'],
  '/responses': ['responses', 'generate'],
  '/api/chat': ['ollama', 'generate'],
  '/api/show': ['ollama', 'show'],
}
const gets: { [path: string]: [Wire, Route['kind']] } = {
  '/models': ['chat', 'models'],
  '/api/tags': ['ollama', 'tags'],
  '/api/ps': ['ollama', 'ps'],
  '/props': ['chat', 'props'],
}

export function routeOf(method: string, path: string, headers: IncomingHttpHeaders, fallback: Dialect): Route | null {
  const prefix = dialects.find((name) => path.startsWith(`/${name}/`))
  const dialect = prefix ?? fallback
  const rest = prefix ? path.slice(prefix.length + 1) : path
  // Only DeepSeek serves its paths without the version as well; elsewhere a missing /v1 is the client's mistake.
  const versioned = rest.startsWith('/v1/') || rest.startsWith('/api/') || rest === '/props' || dialect === 'deepseek'
  if (!versioned) return null
  const bare = rest.startsWith('/v1/') ? rest.slice(3) : rest
  const found = (method === 'POST' ? posts : method === 'GET' ? gets : {})[bare]
  if (!found) return null
  const [wire, kind] = found
  return { wire: kind === 'models' && headers['anthropic-version'] !== undefined ? 'messages' : wire, dialect, kind }
}
