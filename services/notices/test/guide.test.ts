import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { boot, eventually } from '@coffer/host/testing/boot'
import { newId } from '@coffer/kit/values/id'
import { DeliveryService } from '@coffer/proto/notices/v1/delivery'
import { WebhookService } from '@coffer/proto/notices/v1/webhook'
import { expect, test } from '@jest/globals'
import { notices } from '../src/service.ts'
import { startReceiver } from '../testing/webhook-receiver.ts'

const guide = join(import.meta.dirname, '../../../docs/changes/own-webhooks.md')

test('the program of the guide takes a signed test, and no other request', async () => {
  await using booted = await boot([notices], { COFFER_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' })
  const { host } = await freeHost()
  const as = booted.as(newId('acct'))
  const request = { url: `http://${host}/` }
  const { webhook } = await booted.client('notices', WebhookService).createWebhook(request, as)
  const { webhookId = '', secret = '' } = webhook ?? {}
  const folder = await mkdtemp(join(tmpdir(), 'coffer-guide-'))
  const [, program = ''] = /```js\n([\s\S]*?)```/.exec(await readFile(guide, 'utf8')) ?? []
  await writeFile(join(folder, 'receiver.mjs'), program)
  const env = { SECRET: secret, PORT: host.split(':')[1] }
  const child = spawn(process.execPath, [join(folder, 'receiver.mjs')], { env })
  let printed = ''
  child.stdout.on('data', (part) => {
    printed += part
  })
  try {
    const post = () => fetch(`http://${host}/`, { method: 'POST', body: '{}' }).catch(() => null)
    expect((await eventually(post, (answer) => answer !== null))?.status).toBe(401)
    await booted.client('notices', DeliveryService).pingWebhook({ webhookId }, as)
    await eventually(
      async () => printed,
      (text) => text.includes('webhook.ping'),
    )
  } finally {
    child.kill()
    await once(child, 'exit')
    await rm(folder, { recursive: true })
  }
})

/** Returns a host and port that were free a moment ago. */
async function freeHost(): Promise<{ host: string }> {
  await using receiver = await startReceiver()
  return { host: receiver.host }
}
