//! Tests of Botzone's protocol.

mod bot;
mod bot_output;
mod init_data;
mod judge;
mod match_log;
mod support;
mod untrusted_input;
