/**
 * Terminal output as plain text for a model: escape sequences, overstrikes and overwritten lines are dropped, NULs counted. Works on a stream: what a chunk
 * breaks off is held back until the next one, never more than a few hundred characters.
 */

const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]+[0-~]|[0-Z\\^-~])|\x9b[0-?]*[ -/]*[@-~]/g
const UNFINISHED = /\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?$|[\ud800-\udbff]$|\r$/
const MAX_HELD = 4096

export type PlainText = { readonly push: (chunk: string) => string; readonly finish: () => string }

export function createPlainText(): PlainText {
  let held = ''
  let nuls = 0 // at the end so far: a run is counted as one, however it was cut
  const countNuls = (text: string): string => {
    const rest = text.replace(/^\0+/, '')
    nuls += text.length - rest.length
    if (rest === '') return ''
    const counted = nuls === 0 ? rest : `[${nuls} NUL]${rest}`
    const shown = counted.replace(/\0+$/, '')
    nuls = counted.length - shown.length
    return shown
  }
  return {
    push: (chunk) => {
      const text = countNuls(held + chunk)
      const unfinished = UNFINISHED.exec(text)
      held = unfinished !== null && unfinished[0].length <= MAX_HELD ? unfinished[0] : ''
      return plain(held === '' ? text : text.slice(0, text.length - held.length))
    },
    finish: () => {
      const rest = plain(held.replace(/\x1b[^]*$/, '')) + (nuls === 0 ? '' : `[${nuls} NUL]`)
      held = ''
      nuls = 0
      return rest
    },
  }
}

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  if (!/[\0-\x08\x0b-\x1f\x7f\x9b]/.test(text)) return text
  const printed = text.replace(SEQUENCES, '').replace(/\0+/g, (run) => `[${run.length} NUL]`)
  const lines = printed.includes('\r') ? printed.split('\n').map(lastWritten).join('\n') : printed
  return lines.replace(/[^\n\x08]\x08/g, '').replace(/[\x01-\x08\x0b-\x1f\x7f]/g, '')
}

/** What is left to see of a line that was written over, as progress lines are. */
function lastWritten(line: string): string {
  const end = line.replace(/\r+$/, '')
  return end.slice(end.lastIndexOf('\r') + 1)
}
