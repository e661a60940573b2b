/** What any consumer of this kind needs: the yardstick for the import time of a flow's bundle. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import amqp from 'amqplib';

export const handler = [amqp.connect, SecretsManagerClient, GetSecretValueCommand];
