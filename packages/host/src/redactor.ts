/** Masks known keys in everything that is logged, shown or sent. Keys shorter than 8 characters are not searched for: they would eat ordinary text. */
export type Redactor = { readonly text: (text: string) => string; readonly value: <T>(value: T) => T }

const MASK = '[key hidden]'

export function createRedactor(secrets: () => Iterable<string>): Redactor {
  // The longer first: one that begins like another would leave its tail in the open.
  const known = () => [...secrets()].filter((secret) => secret.length >= 8).sort((a, b) => b.length - a.length)
  return { text: (text) => maskText(text, known()), value: <T>(value: T) => maskValue(value, known()) as T }
}

function maskText(text: string, secrets: readonly string[]): string {
  return secrets.reduce((output, secret) => (output.includes(secret) ? output.replaceAll(secret, MASK) : output), text)
}

function maskValue(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return maskText(value, secrets)
  if (Array.isArray(value)) return value.map((inner) => maskValue(inner, secrets))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskValue(inner, secrets)]))
  return value
}
