import { bcs } from '@mysten/sui/bcs';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { verifyPersonalMessageSignature, verifyTransactionSignature } from '@mysten/sui/verify';
import { signerOf } from '../chain/signatures.ts';
import { grpcStatus, RequestRefused } from '../execution/failure.ts';
import { type ServiceHandlers, unary } from './handlers.ts';

/** `sui.rpc.v2.SignatureVerificationService`. */
export const signatureService: ServiceHandlers = {
  VerifySignature: unary(async (request: GrpcTypes.VerifySignatureRequest) => {
    const signature = request.signature?.bcs?.value;
    const message = request.message?.value;
    if (!signature || !message) throw refused('message and signature.bcs are required');
    try {
      await verify(
        request.message?.name,
        message,
        Buffer.from(signature).toString('base64'),
        request.address,
      );
      return { isValid: true };
    } catch (error) {
      return { isValid: false, reason: error instanceof Error ? error.message : 'invalid signature' };
    }
  }),
};

async function verify(
  kind: string | undefined,
  message: Uint8Array,
  signature: string,
  address: string | undefined,
) {
  const options = { address: address ?? signerOf(signature) };
  if (kind === 'TransactionData') await verifyTransactionSignature(message, signature, options);
  else if (kind === 'PersonalMessage') {
    // On the wire the message is BCS, with its length first.
    await verifyPersonalMessageSignature(bcs.byteVector().parse(message), signature, options);
  } else throw new Error(`message.name ${kind} is neither TransactionData nor PersonalMessage`);
}

function refused(message: string): RequestRefused {
  return new RequestRefused(grpcStatus.invalidArgument, message);
}
