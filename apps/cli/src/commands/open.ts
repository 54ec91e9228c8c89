import { EXIT } from '../failure.ts'
import type { NuumCommand } from '../context.ts'
import { openBrowser } from '../browser.ts'
import { PORT_OPTION, serveHere } from './serve.ts'

export const command: NuumCommand = {
  name: 'open',
  notes: ['Where a desktop is there the address is opened in a browser; NUUM_NO_BROWSER=1 only prints it.'],
  actions: {
    '': {
      usage: 'nuum [--port N]',
      summary: 'Starts the Host if none runs, prints the address that signs a browser in, and opens it.',
      args: [0, 0],
      options: PORT_OPTION,
      async run(context, parsed) {
        const isRunning = await context.find(async (client) => {
          if (client === null) return false
          const { url } = await client.call('host/openUrl', {})
          if (context.json) context.out.json({ url })
          else context.out.line(`Nuum is running. Open ${url}`)
          await openBrowser(url, context)
          return true
        })
        return isRunning ? EXIT.ok : await serveHere(context, parsed, (url) => openBrowser(url, context))
      },
    },
  },
}
