/** Builds the app to `dist` with hashed assets; nothing inline and nothing remote, so that `default-src 'self'` holds. */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [react()],
  build: { target: 'es2022', modulePreload: { polyfill: false }, assetsInlineLimit: 0, manifest: true, chunkSizeWarningLimit: 1200 },
})
