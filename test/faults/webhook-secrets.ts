import { eventually } from '@coffer/host/testing/boot'
import type { Receiver } from '@coffer/notices/testing/webhook-receiver'
import { newPerson } from '../harness/person.ts'
import type { Deployment } from '../harness/process.ts'
import type { MailSink } from '../providers/smtp.ts'

/** A credential in the URL of a webhook, which only users of its account may see. */
const urlKey = 'keyInTheUrlOfAWebhook'

/** Without its prefix, which is in the documentation. */
const keyOf = (secret: string) => secret.replace('whsec_', '')

/**
 * Creates a webhook, changes its secret, sends a test that fails, and lets its receiver be gone.
 * Returns its secrets, and all that its user sees after the answers that create them.
 */
export async function useWebhooks(
  { baseUrl, run }: Pick<Deployment, 'baseUrl' | 'run'>,
  { receiver, sink }: { receiver: Receiver; sink: MailSink },
) {
  const person = await newPerson(baseUrl)
  const url = `${receiver.url}?key=${urlKey}`
  const { webhookId, secret: first } = await person.post('/webhooks', { url })
  const path = `/webhooks/${webhookId}`
  const { secret: second } = await person.post(`${path}/secret`, {})
  const seen: string[] = []
  const look = async () => {
    for (const one of [path, '/webhooks', `${path}/deliveries`, '/changes?include=object']) {
      seen.push(JSON.stringify(await person.get(one)))
    }
  }
  // A server that is no HTTP, then one that answers with what it got, then one that is gone.
  receiver.respond((response) => response.socket?.end('SSH-2.0-OpenSSH\r\n'))
  await person.call('POST', `${path}/ping`)
  const failed = async () => (await person.get(`${path}/deliveries?status=pending`)).deliveries
  await eventually(failed, ([one]) => one?.problem)
  await look()
  const refused = await person.call('PATCH', path, { body: { url: `ftp://a.b/?key=${first}` } })
  seen.push(JSON.stringify(refused.body.problems))
  receiver.respond((response) => response.writeHead(410).end('gone'))
  await person.call('POST', `${path}/ping`)
  await sink.mailTo(person.email, 'A webhook was switched off')
  await look()
  seen.push((await run('config')).output)
  const exported = await person.call('GET', '/users/me/export', { asSession: true })
  seen.push(JSON.stringify(exported.body))
  return { secrets: { first: keyOf(first), second: keyOf(second) }, urlKey: { urlKey }, seen }
}
