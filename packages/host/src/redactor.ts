/** Masks known keys in everything that is logged, shown or sent. Keys shorter than 8 characters are not searched for: they would eat ordinary text. */
export type Redactor = { readonly text: (text: string) => string; readonly value: <T>(value: T) => T }

const MASK = '[key hidden]'

export function createRedactor(secrets: () => Iterable<string>): Redactor {
  const text = (input: string): string => {
    let output = input
    for (const secret of secrets()) if (secret.length >= 8 && output.includes(secret)) output = output.replaceAll(secret, MASK)
    return output
  }
  const value = (input: unknown): unknown => {
    if (typeof input === 'string') return text(input)
    if (Array.isArray(input)) return input.map(value)
    if (typeof input === 'object' && input !== null) return Object.fromEntries(Object.entries(input).map(([key, inner]) => [key, value(inner)]))
    return input
  }
  return { text, value: value as <T>(value: T) => T }
}
