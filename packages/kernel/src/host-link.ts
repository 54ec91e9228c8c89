/** The Kernel's side of the connection to its Host. */
import type { KERNEL_HOST_METHODS, KERNEL_NOTIFICATIONS, Peer } from '@nuum/protocol'

export type HostLink = Pick<Peer<typeof KERNEL_HOST_METHODS, typeof KERNEL_NOTIFICATIONS>, 'call' | 'notify'>

/** A failure for the Kernel's own log (stderr). */
export type Log = (problem: string, cause?: unknown) => void
