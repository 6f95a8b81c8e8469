import type { AddressInfo } from 'node:net'
import { eventually } from '@coffer/host/testing/boot'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  from: string
  to: string
  subject: string
  messageId: string
  /** The header Content-Language. */
  language: string
  text: string
  html: string
}

/** A simulated mail server that records its mails. */
export interface MailSink extends AsyncDisposable {
  url: string
  mails: ReceivedMail[]
  /** Refuses the next `times` mails with this SMTP reply code (RFC 5321 4.2). */
  refuse: (replyCode: number, times: number) => void
  /** Number of refused mails. */
  refusals: () => number
  /** Waits for the `count`-th mail (default: first) with the subject to the address. Returns it. */
  mailTo: (address: string, subject: string, count?: number) => Promise<ReceivedMail>
}

export interface MailSinkOptions {
  /** Whether the server offers STARTTLS, with a self-signed certificate. */
  offersTls?: boolean
  /** Name and password that clients must send. Without this option the server requires no login. */
  login?: { name: string; password: string }
}

/** Starts a simulated mail server on a free port. */
export async function startMailSink(options: MailSinkOptions = {}): Promise<MailSink> {
  const { offersTls = false, login } = options
  const mails: ReceivedMail[] = []
  let refusing = { replyCode: 0, times: 0 }
  let refusals = 0
  const server = new SMTPServer({
    authOptional: !login,
    allowInsecureAuth: true,
    disabledCommands: offersTls ? [] : ['STARTTLS'],
    onAuth: ({ username, password }, _session, callback) => {
      const isKnown = username === login?.name && password === login?.password
      if (isKnown) callback(null, { user: username })
      else callback(Object.assign(new Error('wrong credentials'), { responseCode: 535 }))
    },
    disableReverseLookup: true,
    logger: false,
    onMailFrom: (_from, _session, callback) => {
      if (refusing.times === 0) return callback()
      refusing.times -= 1
      refusals += 1
      callback(Object.assign(new Error('not now'), { responseCode: refusing.replyCode }))
    },
    onData: (stream, _session, callback) => {
      read(stream).then((mail) => {
        mails.push(mail)
        callback()
      }, callback)
    },
  })
  server.on('error', () => {
    // Ignores errors: a client may close its connection early.
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: listening } = server.server.address() as AddressInfo
  const sent = (address: string, subject: string) =>
    mails.filter((mail) => mail.to === address && mail.subject === subject)
  return {
    url: `smtp://127.0.0.1:${listening}`,
    mails,
    refuse: (replyCode, times) => {
      refusing = { replyCode, times }
    },
    refusals: () => refusals,
    mailTo: async (address, subject, count = 1) => {
      const found = await eventually(
        async () => sent(address, subject),
        ({ length }) => length >= count,
      )
      return found.at(-1) as ReceivedMail
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function read(stream: AsyncIterable<Buffer>): Promise<ReceivedMail> {
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  const {
    from,
    to,
    subject = '',
    messageId = '',
    text = '',
    html = '',
    headers,
  } = await PostalMime.parse(Buffer.concat(chunks))
  return {
    from: from?.address ?? '',
    to: to?.[0]?.address ?? '',
    subject,
    messageId,
    language: headers.find(({ key }) => key === 'content-language')?.value ?? '',
    text,
    html,
  }
}

/** Returns the link token in a mail. Throws if its text and its HTML differ in the token. */
export function tokenIn({ text, html }: ReceivedMail): string {
  const [, token = ''] = /\?token=([a-z2-7]{52})\b/.exec(text) ?? []
  if (token === '' || !html.includes(`?token=${token}"`)) throw new Error(`no link in ${text}`)
  return token
}
