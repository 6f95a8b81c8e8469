import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { createMailServer, isRefusedForGood } from '@coffer/identity/mail/mail.client'
import { expect, test } from '@jest/globals'
import { startMailSink } from '../providers/smtp.ts'

const sender = 'no-reply@money.example'
const posted = {
  mailId: 'mail_01hzzzzzzzzzzzzzzzzzzzzzzz',
  to: 'pat@example.com',
  letter: {
    language: 'de',
    subject: 'Hello',
    greeting: 'Hello Pat,',
    paragraphs: ['One.', 'Two.'],
    button: null,
  },
}

/** Sends a mail over the SMTP server in the options. Returns the error, null on success. */
async function sent(options: { smtpUrl: string; smtpTls: 'required' | 'none' }): Promise<unknown> {
  const server = createMailServer({ ...options, sender })
  try {
    await server.send(posted)
    return null
  } catch (error) {
    return error
  } finally {
    await server.close()
  }
}

test('a server without encryption gets no mail, unless that is allowed', async () => {
  await using sink = await startMailSink()
  const error = await sent({ smtpUrl: sink.url, smtpTls: 'required' })
  expect(error).toMatchObject({ code: 'ETLS' })
  expect(isRefusedForGood(error)).toBe(false)
  expect(sink.mails).toEqual([])
  expect(await sent({ smtpUrl: sink.url, smtpTls: 'none' })).toBeNull()
  expect(sink.mails).toMatchObject([
    {
      from: sender,
      to: 'pat@example.com',
      subject: 'Hello',
      text: expect.stringContaining('Two.'),
      language: 'de',
    },
  ])
})

test('a server with an invalid certificate gets no mail', async () => {
  await using sink = await startMailSink({ offersTls: true })
  const error = await sent({ smtpUrl: sink.url, smtpTls: 'required' })
  expect(error).toMatchObject({ originalCode: expect.stringMatching(/CERT/) })
  expect(sink.mails).toEqual([])
})

test('a server gets the name and password of the URL, percent-decoded', async () => {
  await using sink = await startMailSink({ login: { name: 'pat@money', password: 'p:ss/w@rd' } })
  const { host } = new URL(sink.url.replace('smtp:', 'http:'))
  const good = `smtp://pat%40money:p%3Ass%2Fw%40rd@${host}`
  expect(await sent({ smtpUrl: good, smtpTls: 'none' })).toBeNull()
  const error = await sent({ smtpUrl: `smtp://pat:wrong@${host}`, smtpTls: 'none' })
  expect(error).toMatchObject({ code: 'EAUTH' })
  // The mail is kept and sent again later, as the operator can correct a wrong SMTP password.
  expect(isRefusedForGood(error)).toBe(false)
  expect(sink.mails).toHaveLength(1)
})

test('a mail waits while its server is away', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  const error = await sent({ smtpUrl: `smtp://127.0.0.1:${port}`, smtpTls: 'none' })
  expect(error).toMatchObject({ code: 'ESOCKET' })
  expect(isRefusedForGood(error)).toBe(false)
})
