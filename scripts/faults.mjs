// `npm run faults [-- --short]`: the crash and fault runs (`*.fault.ts`). They read NUUM_FAULTS: `short` for a few minutes, `full` otherwise.
import { applyFilter, findTestFiles, listWorkspaces, runTests } from './run-tests.mjs'

const args = process.argv.slice(2)
const folders = [...listWorkspaces('packages', 'apps'), 'evals'].flatMap((folder) => [`${folder}/src`, `${folder}/test`])
const files = applyFilter(findTestFiles(folders, /\.fault\.ts$/), args)
const env = { NUUM_FAULTS: args.includes('--short') ? 'short' : 'full' }
process.exitCode = await runTests(files, { env, mustRun: false, testLimitMs: 15 * 60_000 })
