// What comments and documents cite must lie in this repository: no section marks of other papers, no dead paths.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { listFiles, readSources } from './source-files.mjs'

const SECTION_MARK = /\u00a7/
/** A path from the root, as comments and documents write it. Placeholders (`<id>`, `*`, `…`, `{a,b}`) are no paths. */
const REPO_PATH = /(?<![\w./@<~-])((?:packages|apps|scripts|docs|evals|bench|\.ci|\.github)\/[\w@.\-/]+)(?![\w*<{…])/g
const RELATIVE_PATH = /(?<![\w./])(\.{1,2}\/[\w.\-/]+\.(?:ts|tsx|mjs|md|json))(?![\w*<{])/g
const LINK = /\]\(([^)\s#]+)(?:#[^)]*)?\)/g

export function checkText(root) {
  const documents = [...listFiles(root, ['docs', '.github', 'packages', 'apps', 'evals', 'bench', 'scripts'], /\.md$/), ...topDocuments(root)]
  const sources = readSources(root, ['packages', 'apps', 'evals', 'bench', 'scripts'])
  return [...documents.flatMap((file) => judgeDocument(root, file)), ...sources.flatMap((source) => judgeComments(root, source))]
}

function topDocuments(root) {
  return ['README.md', 'ARCHITECTURE.md', 'AGENTS.md', 'CHANGELOG.md'].filter((file) => existsSync(join(root, file)))
}

function judgeDocument(root, file) {
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((text, at) => {
      const links = [...text.matchAll(LINK)].map(([, target]) => target).filter((target) => !/^[a-z]+:/.test(target))
      const dead = links.filter((target) => !existsSync(join(root, dirname(file), target)))
      return [
        ...dead.map((target) => problem(file, at + 1, `The link to '${target}' leads nowhere.`)),
        ...judgeLine(root, file, text, at + 1, [REPO_PATH]),
      ]
    })
}

function judgeComments(root, { path, comments, lineOf }) {
  return comments.flatMap(({ value, start }) =>
    value.split('\n').flatMap((text, at) => judgeLine(root, path, text, lineOf(start) + at, [REPO_PATH, RELATIVE_PATH])),
  )
}

function judgeLine(root, file, text, line, patterns) {
  const problems = SECTION_MARK.test(text)
    ? [problem(file, line, 'A section mark cites something outside the repository: say the reason itself.')]
    : []
  for (const pattern of patterns) {
    for (const [, found] of text.matchAll(pattern)) {
      const path = found.replace(/[.,:;/]+$/, '')
      const target = path.startsWith('.') && !/^\.(ci|github)/.test(path) ? join(root, dirname(file), path) : join(root, path)
      if (!existsSync(target) && !isMade(path)) problems.push(problem(file, line, `'${path}' does not exist.`))
    }
  }
  return problems
}

/** Paths that a build or a run makes. */
function isMade(path) {
  return /(^|\/)(dist|node_modules)(\/|$)/.test(path)
}

function problem(file, line, message) {
  return { file, line, message }
}
