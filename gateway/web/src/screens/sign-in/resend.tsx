import { Link } from '@tanstack/react-router'
import { signInWords } from '../../words/sign-in.ts'

/** A link to the page that sends another verification mail. */
export function Resend() {
  return (
    <p>
      {signInWords.notVerified} <Link to="/login/verify">{signInWords.resend}</Link>
    </p>
  )
}
