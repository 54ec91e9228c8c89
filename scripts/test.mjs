// `npm test [-- part-of-a-path …]`: builds the app if it is stale, then runs every test of packages/ and apps/.
import { BuildError, ensureUi } from './build-ui.mjs'
import { applyFilter, findTestFiles, listWorkspaces, runTests } from './run-tests.mjs'

const workspaces = listWorkspaces('packages', 'apps')
const all = findTestFiles(
  workspaces.flatMap((folder) => [`${folder}/src`, `${folder}/test`]),
  /\.test\.tsx?$/,
)
const files = applyFilter(all, process.argv.slice(2))
const failures = []
if (files.some((file) => file.includes('.browser.') || file.startsWith('apps/'))) {
  try {
    await ensureUi()
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    failures.push({ where: 'packages/ui', name: '(building the app)', error: error.message })
  }
}
process.exitCode = await runTests(files, { failures })
