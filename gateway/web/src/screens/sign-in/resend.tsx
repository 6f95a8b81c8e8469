import { signInWords } from '../../words/sign-in.ts'

/** The way to another verification mail. */
export function Resend() {
  return (
    <p>
      {signInWords.notVerified} <a href="./verify/resend">{signInWords.resend}</a>
    </p>
  )
}
