/** Credentials by their shape. A sentence that merely mentions a key or a password has no value in it and passes. The value itself is never returned. */

interface Shape {
  readonly name: string
  readonly pattern: RegExp
}

const SHAPES: readonly Shape[] = [
  { name: 'private key', pattern: /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----/u },
  { name: 'provider key', pattern: /\b(?:sk|rk|pk)[-_](?:(?:ant|proj|live|test|or|svcacct)[-_])?[A-Za-z0-9_-]{16,}/u },
  { name: 'GitHub token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})/u },
  { name: 'GitLab token', pattern: /\bglpat-[A-Za-z0-9_-]{16,}/u },
  { name: 'AWS key', pattern: /\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b/u },
  { name: 'Google key', pattern: /\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{20,}/u },
  { name: 'Slack token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/u },
  { name: 'npm token', pattern: /\bnpm_[A-Za-z0-9]{30,}/u },
  { name: 'Hugging Face token', pattern: /\bhf_[A-Za-z0-9]{20,}/u },
  { name: 'Telegram token', pattern: /\b\d{8,10}:[A-Za-z0-9_-]{34,}/u },
  { name: 'JSON web token', pattern: /\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}/u },
  { name: 'address with a password', pattern: /\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@]+:[^\s/@]{3,}@/iu },
  { name: 'authorization header', pattern: /\b(?:bearer|basic)\s+[A-Za-z0-9+/_=.-]{20,}/iu },
]

const NAMED =
  /\b(?:(?:[\w-]*[_-])?(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|api[ _-]?key|access[ _-]?key|private[ _-]?key|credential|pin)|passwort|kennwort|geheimnis|schlüssel)(?:[ _-]\w+)?\b\s*(?:is|are|was|ist|lautet|=|:=|:|→|->)\s*["'“`「]?(\S{4,})/giu
const NAMED_CJK = /(?:密码|口令|密钥|令牌|パスワード|暗証番号|秘密鍵|トークン)\s*(?:是|为|は|:|：|=)\s*["'“`「]?([\x21-\x7e]{4,})/gu
const PLACEHOLDER =
  /^(?:stored|kept|saved|in|on|at|the|a|an|not|required|needed|optional|missing|expired|invalid|rotated|managed|encrypted|hashed|set|used|read|from|passed|sent|never|always|too|very|important|valid|wrong|correct|long|short|hidden|secret|changed|reset|known|unknown|strong|weak|secure|insecure|simple|random|unique|shared|common|default|empty|different|stronger|longer|shorter|mandatory|sicher|stark|schwach|einfach|gleich|notwendig|case-sensitive|nicht|im|in|der|die|das|<.*>|\$\{?\w+\}?|\*+|x+|\.\.\.|…)[.,;:!?"'”’`)]*$/iu

/** The name of the pattern that the text matches, or `null`. */
export function findSecret(text: string): string | null {
  const flat = text.normalize('NFKC').replace(/[\u00ad\u200b-\u200f\u2060-\u206f\ufeff]/gu, '')
  const shape = SHAPES.find(({ pattern }) => pattern.test(flat))
  if (shape) return shape.name
  for (const pattern of [NAMED, NAMED_CJK]) {
    for (const [whole, value = ''] of flat.matchAll(pattern)) if (isSecretValue(whole, value)) return 'password or token'
  }
  const word = flat.split(/[\s"'`“”,;()<>[\]{}=]+/u).find(isRandom)
  return word === undefined ? null : 'random value'
}

/** A bare number is a password or a PIN, but never a token or a key; a bare word only after "password". */
function isSecretValue(whole: string, value: string): boolean {
  const bare = bareValue(value)
  const isPassword = /pass|pwd|pin\b|kennwort|密码|口令|パスワード|暗証/iu.test(whole)
  if (/^\d+$/u.test(bare)) return isPassword && bare.length >= 4
  if (looksLikeValue(value)) return true
  return (
    /pass(?:word|wort|phrase|code)|kennwort|密码|パスワード/iu.test(whole) &&
    /^[a-z]{6,}$/iu.test(bare) &&
    !PLACEHOLDER.test(bare) &&
    !/(?:ed|ly|ing|able|ible|ert|lich|ig)$/iu.test(bare)
  )
}

function bareValue(value: string): string {
  return value.replace(/[.,;:!?"'”’`)」]+$/u, '')
}

/** "My password is strong" has no value in it; "my password is hunter2-TEST" has. */
function looksLikeValue(value: string): boolean {
  const bare = bareValue(value)
  if (bare.length < 4 || PLACEHOLDER.test(bare)) return false
  const classes = [/[a-z]/u, /[A-Z]/u, /\d/u, /[^A-Za-z0-9]/u].filter((set) => set.test(bare)).length
  return classes >= 3 || (/\d/u.test(bare) && /[A-Za-z]/u.test(bare)) || /^\d{4,}$/u.test(bare) || (classes >= 2 && bare.length >= 12)
}

/** A long word of mixed letters and digits with the entropy of chance; hashes of commits, ULIDs, paths and addresses are none. */
function isRandom(word: string): boolean {
  if (word.length < 28 || /[/\\.:@]/u.test(word) || /^[0-9a-f-]+$/u.test(word) || /^[a-z]_[0-9a-z]{26}$/u.test(word)) return false
  if (!/^[A-Za-z0-9_+-]+$/u.test(word) || !/\d/u.test(word) || !/[a-z]/u.test(word) || !/[A-Z]/u.test(word)) return false
  return entropyOf(word) > 4
}

function entropyOf(word: string): number {
  const counts = new Map<string, number>()
  for (const letter of word) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length)
  return bits
}

/** The text with each secret's value replaced, for what is sent to a model. */
export function hideSecrets(text: string): string {
  let hidden = text.replace(
    /-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|$)/gu,
    '[secret]',
  )
  for (const { pattern } of SHAPES) hidden = hidden.replace(new RegExp(pattern.source, `${pattern.flags.replace('g', '')}g`), '[secret]')
  for (const pattern of [NAMED, NAMED_CJK])
    hidden = hidden.replace(pattern, (whole, value: string) => (isSecretValue(whole, value) ? whole.replace(value, '[secret]') : whole))
  return hidden.replace(/[A-Za-z0-9_+-]{28,}/gu, (word) => (isRandom(word) ? '[secret]' : word))
}
