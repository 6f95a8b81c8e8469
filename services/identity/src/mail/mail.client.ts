import { fileURLToPath } from 'node:url'
import { Eta } from 'eta'
import { createTransport } from 'nodemailer'
import type { Letter } from './mail.ts'

/** A letter to one address. */
export interface Posted {
  /** Names the mail in its Message-ID, so that a second copy is known as one. */
  mailId: string
  to: string
  letter: Letter
}

/** The server that takes our mails. */
export interface MailServer {
  /** Throws when the server did not take it. */
  send: (posted: Posted) => Promise<void>
  close: () => void
}

export interface MailServerOptions {
  /** smtp:// (STARTTLS) or smtps://, with name and password if the server wants them. */
  smtpUrl: string
  smtpTls: 'required' | 'none'
  /** Address in From. */
  sender: string
}

const timeoutMs = 10_000
const connectionsMax = 2

const views = fileURLToPath(new URL('../../mails', import.meta.url))
const text = new Eta({ views, autoEscape: false, defaultExtension: '.txt.eta' })
const html = new Eta({ views, autoEscape: true, defaultExtension: '.html.eta' })

/** Sends over SMTP (RFC 5321); connections are made when they are first needed. */
export function openMailServer({ smtpUrl, smtpTls, sender }: MailServerOptions): MailServer {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const isSecure = protocol === 'smtps:'
  const transport = createTransport({
    pool: true,
    maxConnections: connectionsMax,
    host: hostname,
    port: Number(port) || (isSecure ? 465 : 587),
    secure: isSecure,
    requireTLS: smtpTls === 'required',
    ignoreTLS: smtpTls === 'none',
    ...(username
      ? { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }
      : {}),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = sender.slice(sender.lastIndexOf('@') + 1)
  return {
    send: async ({ mailId, to, letter }) => {
      await transport.sendMail({
        from: { name: 'Coffer', address: sender },
        to: { name: '', address: to },
        subject: letter.subject,
        messageId: `<${mailId}@${domain}>`,
        text: text.render('letter', letter),
        html: html.render('letter', letter),
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
    },
    close: () => transport.close(),
  }
}

/** Whether the server will never take this mail: a 5xx reply to the mail, not to the login. */
export function isRefusedForGood(error: unknown): boolean {
  const { responseCode = 0, code } = Object(error) as { responseCode?: number; code?: string }
  return responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')
}
