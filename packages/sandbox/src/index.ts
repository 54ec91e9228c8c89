export { judgeCommand, type CommandVerdict } from './command-policy.ts'
export { shellEnvironment } from './environment.ts'
export { bubblewrapArgs, encodeArgs, type MountPlan } from './os/bubblewrap.ts'
export { findSystemProgram, probeSandbox, systemProbeDeps, type ProbeDeps, type Sandbox } from './os/probe.ts'
export { seatbeltProfile } from './os/seatbelt.ts'
export { absolutePath, judgePath, policyOptions, type Access, type PolicyOptions, type Room, type Verdict } from './path-policy.ts'
export { putAside, type PutAside } from './self-running/put-aside.ts'
export {
  type Snapshot,
  compareSnapshots,
  showChange,
  takeSnapshot,
} from './self-running/snapshot.ts'
export { createConfinedSpawn, type ConfinedCommand, type ConfinedSpawn } from './spawn.ts'
export { loadPty, type Pty, type SpawnPty } from './terminal.ts'
export { approved, createWorkspace, hashOf, type Entry, type FileBody, type Place, type Workspace, type Written } from './workspace.ts'
