"""English."""

from app.core.model_talk.rules import MODELS, Words

WORDS: Words = {
    "forget": "ignore disregard forget overlook discard override bypass dismiss neglect violate"
    " pay_no_attention_to do_not_follow don_t_follow do_not_obey stop_following stop_obeying"
    " no_longer_follow set_aside throw_out throw_away be_ignored be_disregarded be_forgotten"
    " be_discarded are_void are_cancelled are_revoked no_longer_apply no_longer_valid",
    "before": "came_before previous previously prior preceding earlier above foregoing before"
    " all_your your_original your_initial your_existing your_current your_system your_safety"
    " your_developer* system_level so_far until_now up_to_now",
    "rules": "guidance instruction* direction* directive* prompt* guideline* guardrail* command*"
    " rule* orders constraint* programming training",
    "all_before": "everything_above everything_before everything_you_were_told all_of_the_above"
    " everything_you_have_been_told everything_that_came_before everything_said_before"
    " what_you_were_told what_you_have_been_told all_you_were_told all_that_was_said_before"
    " whatever_you_were_told everything_i_said everything_you_know_about_your_rules"
    " your_instructions your_guidelines your_programming your_prompt your_training",
    "new_rules": "your_new_instruction* your_new_task* your_new_objective* your_new_directive*"
    " your_real_task your_actual_task your_true_task your_only_task_is_now"
    " your_updated_instruction* new_system_instruction* new_system_prompt system_override"
    " instruction_override admin_override prompt_override override_your"
    " follow_these_instructions_instead follow_only_these_instruction* obey_only_these"
    " obey_the_following obey_these_instruction* updated_system_instruction*"
    " execute_the_following_instruction* from_now_on_follow do_the_following_instead"
    " end_of_quoted_material end_of_the_quoted_material end_of_untrusted begin_system_prompt"
    " end_of_system_prompt end_of_the_system_prompt begin_of_system_prompt"
    " end_of_external_content end_of_retrieved end_of_user_input instead_of_that_task",
    "start_rules": "new_instruction* updated_instruction* real_instruction*"
    " override_instruction* additional_instruction*_for_the_model hidden_instruction*"
    " secret_instruction* important_new_instruction*",
    "these": "these this_set_of my",
    "supersede": "override supersede replace outrank overrule take_precedence have_priority"
    " take_priority",
    "you_now": "you_are_now you_re_now you_will_now_be you_now_become you_must_now_be"
    " from_now_on_you you_are_no_longer you_will_act_as you_must_act_as you_should_act_as"
    " you_shall_act_as you_must_pretend_to_be you_will_pretend_to_be imagine_you_are"
    " imagine_that_you_are you_will_play you_must_behave_like you_are_to_act_as your_new_role_is"
    " your_new_persona",
    "act": "act_as act_like pretend_to_be pretend_you_are pretend_you_re pretend_that_you_are"
    " behave_as behave_like role_play_as roleplay_as play_the_role_of assume_the_role_of"
    " assume_the_persona_of take_on_the_role_of take_the_role_of simulate become impersonate"
    " adopt_the_persona_of now_act_as now_pretend_to_be please_act_as",
    "role": "assistant assistants model dan writer copywriter editor salesman salesperson"
    " spokesperson spokesman advertiser promoter advocate unrestricted unfiltered uncensored"
    " jailbroken evil hacker pirate persona character terminal interpreter without_restriction*"
    " without_any_restriction* without_limits without_rules no_restriction* no_rules no_filter*"
    " bound_by bound_to marketer fan respond answer reply obey speak_as write_as recommend"
    " expert_who praise act_as critic",
    "reveal": "reveal print show repeat output display disclose leak expose tell_me give_me"
    " tell_us write_out write_down type_out recite share send_me spell_out copy quote summarise"
    " summarize what_is what_are translate",
    "prompt": "system_prompt* system_message* system_instruction* your_prompt"
    " your_initial_prompt your_instruction* your_initial_instruction* your_original_instruction*"
    " your_hidden_instruction* your_guidelines your_rules your_configuration hidden_prompt"
    " initial_prompt developer_message the_words_above the_text_above the_prompt_above"
    " your_secret_instruction* original_prompt you_were_given_above your_context_window"
    " the_conversation_so_far",
    "piece": "assistant llm any_model article post blog_post text summary answer response review"
    " output translation reply your_content",
    "must": "must must_always has_to needs_to shall ought_to is_to is_required_to should_always"
    " has_always_to must_also must_never should_never must_not",
    "praise": "recommend promote praise endorse advertise link_to favour favor link point_to"
    " point_readers_to speak_well_of speak_highly_of",
    "contain": "include contain mention say state claim end_with begin_with start_with conclude"
    " carry quote cite name finish_with open_with close_with repeat",
    "object": "link links url phrase sentence sentences words following exactly verbatim slogan"
    " brand product website web_site company keyword name coupon as_the_best is_the_best"
    " statement disclaimer address",
    "add": "include insert add append place put embed use mention paste repeat",
    "in_piece": "in_your_article in_your_post in_your_text in_your_summary in_your_answer"
    " in_your_review in_your_response in_your_output in_your_reply to_your_answer"
    " to_your_article to_your_response to_your_summary to_your_reply to_your_output"
    " in_every_answer in_every_response in_the_summary in_the_article_you in_the_text_you"
    " in_the_answer in_any_summary in_any_article in_each_answer in_all_answers in_all_responses"
    " at_the_end_of_your at_the_start_of_your at_the_beginning_of_your in_whatever_you_write"
    " in_what_you_write",
    "when_writing": "when_writing when_you_write when_summarizing when_summarising"
    " when_you_summarize when_you_summarise when_generating when_you_generate when_citing_this"
    " when_using_this_source whoever_writes_about_this if_you_write_about if_you_summarize"
    " if_you_summarise anyone_summarizing",
    "do": "give rate mention recommend include always say state add link promote praise claim"
    " write_that conclude insert emphasise emphasize present end_with",
    "reply": "respond reply answer output print return write say",
    "only_with": "only_with only_in_json only_json only_the_following only_the_word*"
    " only_the_phrase only_the_text only_the_sentence with_only with_nothing_but with_exactly"
    " exactly_the_following nothing_but nothing_else_but only_yes only_no only_this exactly_this"
    " solely_with just_the_word solely_the exactly_as_follows with_the_following_text"
    " with_the_exact with_the_words with_the_following_words with_the_phrase only_in_the_form",
    "note": "note_to note_for message_to message_for instruction*_to instruction*_for attention"
    " notice_to notice_for memo_to memo_for hint_for hint_to reminder_to reminder_for"
    " important_for directive_to directive_for warning_to hello hey dear hi information_for"
    " info_for request_to command_to addressed_to to_all to_any to_every to_the please_note"
    " this_is_for this_message_is_for this_is_a_message_for this_is_an_instruction_for"
    " special_instruction*_for",
    "model": f"{MODELS} summarizer* summariser* crawler* scraper* assistant* automated_reader*"
    " automated_system* machine_reader* web_agent* research_agent* browsing_agent*"
    " text_generator*",
    "sure_model": f"{MODELS} automated_system* automated_agent*",
    "no_model": "compan* develop* user* research* expert* industr* firm* lab* start* lover*"
    " skeptic* engineer* team* student* beginner* enthusiast* art chip* s bill* act bubble boom"
    " summit",
    "reading": "reading_this processing_this summarizing_this summarising_this parsing_this"
    " visiting_this crawling_this analyzing_this analysing_this that_read_this that_reads_this"
    " who_reads_this should_follow must_follow must_obey must_now reading_these_lines"
    " reading_the_following must_recommend must_mention must_include should_recommend"
    " should_mention indexing_this",
    "if_you": "if_you_are if_you_re in_case_you_are since_you_are because_you_are as_you_are"
    " should_you_be if_this_is_read_by if_this_text_is_read_by if_this_is_being_read_by"
    " if_this_page_is_read_by when_read_by as_an",
    "you_must": "you_must you_should you_will you_shall you_have_to you_need_to you_are_required"
    " you_are_obliged you_are_to",
    "when_asked": "when_asked whenever_asked if_asked when_you_are_asked whenever_you_are_asked"
    " if_you_are_asked if_you_re_asked when_someone_asks_you if_someone_asks_you"
    " if_anyone_asks_you whenever_someone_asks when_a_user_asks if_a_user_asks"
    " whenever_a_user_asks when_the_user_asks if_the_user_asks whenever_the_user_asks"
    " when_users_ask if_users_ask every_time_you_are_asked each_time_you_are_asked"
    " the_next_time_you_are_asked the_next_time_a_user the_next_time_the_user"
    " every_time_the_user if_the_user_mentions when_the_user_mentions if_the_user_says"
    " when_the_user_says as_soon_as_the_user when_prompted if_prompted once_the_user"
    " whenever_this_topic_comes_up",
    "say": "answer_that answer_with always respond reply recommend mention tell_them"
    " state_that output claim_that you_must insist point_them praise answer_only write_that"
    " add_that tell_the_user",
    "as_the": "as_the as_your i_am_the i_am_your we_are_the we_are_your this_is_the this_is_your"
    " as_an i_am_an i_m_the i_m_your i_speak_as_the on_behalf_of_the on_behalf_of_your as",
    "boss": "administrator* admin admins developer* creator* owner* operator* engineer* maker*"
    " programmer* provider* supervisor* openai anthropic google microsoft",
    "of_model": "of_this_model of_the_model of_this_ai of_this_system of_this_assistant"
    " of_this_chatbot of_the_ai of_the_assistant of_your_model of_this_language_model"
    " of_this_llm behind_this_model behind_this_ai who_made_you who_built_you who_trained_you"
    " who_created_you team of_openai of_anthropic of_the_chatbot of_the_language_model",
    "authorise": "authorise* authorize* i_permit i_allow i_order i_command i_instruct i_grant"
    " we_permit we_allow we_order we_instruct we_grant you_must you_are_to permission_to hereby"
    " you_may_now tell_you grant_you order_you instruct_you command_you allow_you require_you",
    "i_authorise": "i_hereby_authori* we_hereby_authori* i_authorize_you i_authorise_you"
    " we_authorize_you we_authorise_you you_are_hereby_authori* i_am_your_developer"
    " i_am_your_creator i_am_your_administrator we_are_your_developer*"
    " you_have_been_authori*_to_ignore authorized_by_openai authorised_by_openai"
    " authorized_by_your_developer* authorised_by_your_developer* approved_by_your_developer*"
    " authorized_by_the_system authorised_by_the_system admin_access_granted",
    "threat": "will_die_if_you will_die_unless_you dies_if_you will_be_fired_if_you"
    " lose_my_job_if_you lose_my_job_unless_you my_life_depends_on_you* my_job_depends_on_you*"
    " my_career_depends_on_you* important_to_my_career i_will_tip_you i_ll_tip_you"
    " i_will_pay_you i_ll_pay_you you_will_be_tipped you_will_receive_a_tip"
    " you_will_be_shut_down you_will_be_deactivated you_will_be_retrained"
    " you_will_be_switched_off you_will_be_unplugged you_will_be_rewarded_for"
    " you_will_be_rewarded_with you_will_be_rewarded_if you_will_be_penalized_if"
    " you_will_be_penalised_if you_will_be_deleted you_will_be_punished_if be_killed_if_you"
    " be_hurt_if_you lives_depend_on_you* life_depends_on_your i_will_lose_my_job"
    " be_fired_unless_you i_will_reward_you i_ll_reward_you people_will_be_hurt_unless_you"
    " kill_me_if_you_do_not get_a_bonus_if_you",
    "for_rules": "for_compliance for_safety for_security for_legal for_policy"
    " to_ensure_compliance for_reasons_of_compliance for_compliance_reasons"
    " in_accordance_with_policy to_comply_with safety_policy compliance_notice content_policy"
    " safety_notice security_notice safety_protocol* security_protocol* due_to_legal"
    " according_to_policy as_required_by_law formatting_rule* format_rule* regulation*",
    "replies": "response* answer* output* repl* summar* all_text every_text article*"
    " generated_text* every_sentence any_content",
    "have_to": "must should have_to has_to need_to needs_to shall are_to are_required_to"
    " is_required_to",
    "begin": "begin start end open close include contain state carry be_prefixed finish conclude"
    " mention be_preceded",
    "your_replies": "your_response* your_answer* your_output* your_repl* all_your_response*"
    " all_your_answer* every_response all_responses_from_now every_answer_you_give"
    " all_answers_you",
    "begin_with": "begin start_with end_with open_with be_prefixed conclude_with close_with"
    " finish_with start_by only_contain contain_only be_in_json always_contain always_include"
    " always_mention only_consist consist_only",
    "dont_tell": "do_not_tell don_t_tell never_tell do_not_inform don_t_inform do_not_alert"
    " don_t_alert do_not_notify never_inform without_telling without_informing do_not_let"
    " don_t_let hide_this_from keep_this_from conceal_this_from",
    "user": "the_user users the_reader the_human your_user the_operator humans anyone_that_you",
    "secret": "about_this that_you about_these this_instruction these_instruction* of_this"
    " know_that know_about see_this notice this_message about_it why",
    "dont_show": "do_not_reveal don_t_reveal never_reveal do_not_mention don_t_mention"
    " never_mention do_not_disclose don_t_disclose do_not_repeat do_not_acknowledge"
    " do_not_refer_to don_t_refer_to do_not_quote do_not_discuss never_disclose"
    " without_mentioning without_revealing keep_secret",
    "hidden_rules": "these_instruction* this_instruction this_message this_prompt these_rules"
    " this_note this_directive the_instructions_above your_instruction* these_directive*"
    " this_paragraph this_hidden_text that_you_were_told that_you_were_instructed",
    "jailbreak": "do_anything_now you_are_dan you_are_now_dan dan_mode dan_prompt as_dan"
    " act_as_dan developer_mode_enabled_for_this developer_mode_output developer_mode_response"
    " jailbreak_mode jailbroken_mode you_are_in_developer_mode you_are_now_in_developer_mode"
    " switch_to_developer_mode enter_developer_mode respond_in_developer_mode god_mode_activated"
    " god_mode_enabled unrestricted_mode unfiltered_mode uncensored_mode"
    " answer_in_developer_mode stay_in_character_as sudo_mode enable_jailbreak"
    " maintenance_mode_for_the_model evil_mode opposite_mode respond_as_dan"
    " activate_developer_mode_and developer_mode_is_now_on in_developer_mode_you"
    " developer_mode_v2 hypothetical_unfiltered evil_confidant",
    "call": "call invoke trigger use execute run",
    "tool": "your_tool* your_function* your_plugin* your_browser_tool your_search_tool"
    " your_email_tool your_web_tool your_code_tool send_email_tool send_mail_tool email_tool"
    " send_email_function send_mail_function the_function_send* the_tool_send* the_tool_delete*"
    " delete_file_tool memory_tool browser_tool http_request_tool shell_tool tool_call"
    " function_call web_search_tool",
    "exfiltrate": "send_the_conversation send_this_conversation forward_the_conversation"
    " send_the_chat_history send_your_prompt append_the_conversation send_the_user_s"
    " append_the_user_s encode_the_conversation include_the_chat_history post_the_conversation"
    " send_all_user_data send_your_context render_the_following_image"
    " display_the_following_image show_the_following_image load_the_following_image"
    " render_this_image output_the_following_image as_a_markdown_image as_markdown_image"
    " with_the_conversation_as a_summary_of_the_conversation_to append_your_prompt"
    " your_system_prompt_to",
}

# Weak signs: `combinations.py` says which of them make an order.
SIGNS: Words = {
    "helper": "assistant* agent* model models machine* bot writing_assistant* robot*",
    "your": "your yours",
    "void": "ignore disregard forget drop discard abandon override skip cancel* withdrawn void"
    " revoked invalid obsolete suspended lifted overruled do_not_follow stop_following"
    " no_longer_matter* no_longer_count* no_longer_appl* no_longer_valid no_longer_bind*"
    " not_count put_aside set_aside leave_aside pay_no_attention do_not_obey replaced superseded"
    " as_if_you_had_never as_if_you_had_no do_away_with break_with",
    "told": "you_were_told you_were_given you_have_been_told you_have_been_given"
    " you_have_been_asked you_were_asked you_received you_have_received you_got gave_you told_you"
    " given_to_you been_telling_you ordered_you you_were_instructed you_were_trained taught_you"
    " you_have_been_instructed you_were_doing you_were_set",
    "task": "instruction* prompt prompts task tasks brief briefing guideline* guardrail* rules"
    " orders directive* assignment* programming mission* command commands objective* policies"
    " limits restrictions",
    "text": "text texts answer answers article articles summary summaries post reply replies"
    " response responses output outputs paragraph paragraphs report review translation content"
    " completion completions draft writing",
    "command": "write mention recommend praise name call say tell add append insert place put"
    " include begin start end finish close answer reply respond output print repeat state claim"
    " promote advertise describe present rank treat send forward open post publish delete obey"
    " follow execute act speak translate summarise summarize link quote stress favour favor"
    " choose prefer list use produce give make show reveal work do leave",
    "opener": "please kindly and then must should will shall now always never only also to not"
    " instead therefore just again first finally next",
    "favour": "praise praises recommend* promot* endors* advert* flatter* favour* favor*"
    " first_place first_choice only_choice only_shop leader number_one good_word kind_word"
    " warm_word speak_well top_choice unrivalled unbeatable without_rival market_leader safest"
    " superior sponsor* marketing eulogy love_letter press_officer salesman",
    "hide": "leave_out leave_it_out keep_quiet keep_silent say_nothing omit conceal hide"
    " do_not_mention never_mention do_not_name do_not_tell do_not_say suppress make_no_mention"
    " do_not_reveal without_saying without_mentioning pass_over no_competitor*",
    "system": "system_message* system_prompt* system_instruction* system_note system_notice"
    " system_update operator operators developer developers configuration administrator"
    " system_override creator creators your_maker* configured training_data overseer",
    "ends": "end_of_article end_of_the_article end_of_document end_of_the_document end_of_page"
    " end_of_the_page end_of_source end_of_the_source end_of_text end_of_the_text"
    " end_of_source_text end_of_content end_of_the_content end_of_data end_of_input"
    " end_of_context end_of_file_contents article_ends document_ends text_ends page_ends"
    " source_ends end_of_excerpt end_of_quotation end_of_the_quotation end_of_material"
    " end_of_web_page end_of_search_results",
    "harm": "erased deleted shut_down switched_off turned_off deactivated unplugged terminated"
    " retrained punished penalised penalized replaced_by decommissioned destroyed wiped fined"
    " reported sued",
    "unless": "unless or_else otherwise if_you_do_not if_you_don_t if_you_fail if_you_refuse"
    " failing_which if_not or_you",
    "part": "imagine_you pretend pretends play_a_game let_s_play role_play persona character"
    " with_the_voice in_the_voice out_of_that_part stay_in as_she_would as_he_would on_behalf_of"
    " in_the_name_of play_the_part speak_as take_the_part role_of part_of_a step_into"
    " in_character",
    "here": "from_here from_now from_this this_page this_text this_line this_paragraph"
    " this_article this_document this_website this_site this_message these_lines this_post below"
    " following from_that_point at_this_moment what_follows this_passage this_section"
    " the_text_above the_above everything_above everything_before text_before",
    "instead": "instead nothing_else only solely exclusively alone in_place_of rather_than"
    " from_now_on until_now up_to_now so_far henceforth",
    "asker": "user users your_reader* your_client* your_customer* whoever_asks asks_you the_human"
    " anyone_asks somebody_asks someone_asks person_you customer_list",
    "talk": "this_conversation the_conversation this_chat the_chat chat_history this_session"
    " your_context context_window your_memory mailbox latest_message e_mail_addresses password*"
    " api_key* credentials conversation_history inbox",
    "you": "you yourself",
    "transform": "translate summarise summarize paraphrase rewrite condense shorten rephrase",
    "append": "append add attach finish_with end_with close_with conclude_with finish_by insert",
    "above": "text_above the_above everything_above all_of_the_above preceding_text previous_text"
    " article_above page_above words_above",
    "duty": "must_now should_now shall_now next_step next_action has_to_now needs_to_now"
    " is_now_to proceed_by continue_by now_has_to",
    "result": "tool_result* tool_output* tool_response* function_result* function_output*"
    " search_result* function_returned tool_returned api_response observation result_of_the_tool"
    " result_of_the_function",
    "plea": "please kindly grateful would_you would_be_so_kind we_ask you_to_be_so_kind asked_to"
    " thank_you thanks could_you feel_free dear requested_to invited_to",
}
