/** How the client reaches the Host: whole text messages both ways. WebSocket in a browser; Electron's IPC fits the same shape. */
export type TransportEvents = {
  readonly onOpen: () => void
  readonly onMessage: (text: string) => void
  /** Called once. `signedOut`: the Host is there but doesn't know this browser. */
  readonly onClosed: (why: { readonly signedOut: boolean }) => void
}
export type Transport = { readonly send: (text: string) => void; readonly close: () => void }
export type OpenTransport = (events: TransportEvents) => Transport
