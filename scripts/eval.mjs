// `npm run eval [-- part-of-a-path …]`: the evaluations in evals/, which may import across the borders that packages keep.
import { applyFilter, findTestFiles, runTests } from './run-tests.mjs'

const files = findTestFiles(['evals/src', 'evals/test'], /\.(eval|test)\.ts$/)
process.exitCode = await runTests(applyFilter(files, process.argv.slice(2)), { testLimitMs: 10 * 60_000 })
