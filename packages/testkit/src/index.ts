export { startScriptedProvider } from './scripted-provider/server.ts'
export { htmlErrorPage } from './scripted-provider/render/error-bodies.ts'
export type {
  Dialect,
  ErrorReply,
  Refusal,
  Reply,
  ReplyBlock,
  RequestRecord,
  Rule,
  ScriptedCall,
  ScriptedModel,
  ScriptedProvider,
  ScriptedProviderOptions,
  ScriptEntry,
  UsageFigures,
  WireFaults,
} from './scripted-provider/script.ts'
export type { CrashOptions, CrashRun } from './crash-harness.ts'
export { startCrashable } from './crash-harness.ts'
export type { FakeClock } from './fake-clock.ts'
export { fakeClock } from './fake-clock.ts'
export type { DiskCounts, DiskOperation, FaultFs, Faults } from './fault-fs.ts'
export { faultFs } from './fault-fs.ts'
export type { TempHome } from './temp-home.ts'
export { tempHome } from './temp-home.ts'
export type { TestBrowser } from './browser.ts'
export { launchBrowser } from './browser.ts'
