//! Tests of Botzone's protocol.

mod bot;
mod bot_output;
mod change_flags;
mod init_data;
mod judge;
mod local_ai;
mod match_log;
mod support;
mod untrusted_input;
