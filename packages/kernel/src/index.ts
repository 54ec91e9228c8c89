export { createKernel, type Kernel, type KernelDeps, type ShellPool } from './kernel.ts'
export { createModels, type Models } from './models.ts'
export { systemClock, type Clock } from './clock.ts'
export { createGuideModel } from './providers/guide/guide-model.ts'
